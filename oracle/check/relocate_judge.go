package check

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// judge decides over one record of an area.
func (c *check) judge(m *module, a *area, r record) decision {
	drop := decision{action: oracle.Drops}
	s, id := &m.symbols[r.symbol], m.refs[r.symbol].id.first()
	switch {
	case isFunctionSize(r.kind):
		if id != nil && id.function() && !id.live && id.def != nil {
			c.clear(a, r)
		}
		return drop
	case isYield(r.kind):
		return c.judgeYield(m, a, r)
	case r.symbol == 0 || id != nil && id.function() && id.def != nil && !id.live:
		return drop
	}
	in := oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset}
	if id != nil && id.def == nil && unified(id.name) {
		if c.leftForFinal(a, r, id) { // where the link has unified functions
			return decision{action: oracle.Keeps, as: r.kind, in: in}
		}
		return drop
	}
	switch {
	case id == nil && s.kind() == cuda.STTSection && !s.special:
		return c.judgeSection(m, a, r, in)
	case id == nil && !s.defined() && s.kind() == cuda.STTNotype && s.bind() == cuda.STBLocal && isDebug(a.name) && !c.relocatable:
		return c.judgeLabel(a, r, in)
	case id == nil:
		return drop
	case id.function():
		return c.dispose(r, id, oracle.Function, in)
	case id.image():
		return c.judgeImage(m, a, r, id, in)
	case id.def == nil && id.local:
		return c.judgeDriver(a, r, id, in)
	case id.def == nil && !id.common && id.space() != cuda.STOShared:
		return c.dispose(r, id, oracle.Global, in) // kept, as nothing is known of it
	case id.space() == cuda.STOShared:
		return c.judgeShared(m, a, r, id)
	}
	return c.judgeObject(a, r, id, in)
}

// dispose is the decision that a type and a kind of symbol make together.
func (c *check) dispose(r record, id *identity, kind oracle.SymbolKind, in oracle.Inputs) decision {
	disposition, err := oracle.DispositionOf(r.kind, kind, c.release, c.sm)
	if err != nil {
		return decision{action: oracle.Keeps, as: r.kind, in: in}
	}
	if c.relocatable && (disposition.Action == oracle.Keeps || kind == oracle.Constant && id != nil && id.bind() == cuda.STBWeak) {
		// Only a final link renames the unified types, and a weak constant
		// may still move.
		disposition = oracle.Disposition{Action: oracle.Keeps, As: r.kind}
	}
	return decision{action: disposition.Action, as: disposition.As, in: in}
}

// judgeYield is judge for YIELD. From sm_70 on it stays in kernels; in functions, which
// may be called from anywhere, it becomes NOP all the same.
func (c *check) judgeYield(m *module, a *area, r record) decision {
	if c.keepsYield(a) {
		if c.relocatable { // the final link may still ask
			a.keep(kept{offset: r.offset, kind: r.kind, addend: r.addend, rela: r.rela, mod: m, optional: true})
		}
		return decision{action: oracle.Drops}
	}
	// The record names symbol 0. Where that has a value, as nvlink's may, it must not
	// count: the word would be another operation than NOP.
	in := oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset}
	return decision{action: oracle.Patches, as: r.kind, in: in}
}

// judgeSection is judge for the symbol of a section.
func (c *check) judgeSection(m *module, a *area, r record, in oracle.Inputs) decision {
	s := &m.symbols[r.symbol]
	p := m.places[s.shndx]
	in.SectionType = m.sections[s.shndx].kind
	if p.part != nil {
		in.S = p.part.base
	}
	if p.area != nil && p.area.moved {
		in.S += p.area.movedTo
	}
	if at, known := c.linesAt(m, s.shndx, uint64(r.addend)); known && r.rela {
		in.S = at - uint64(r.addend)
	}
	if c.relocatable && r.rela && p.area != nil && c.rewritten(p.area) {
		return decision{action: oracle.Keeps, as: r.kind, in: in} // they are made anew in the final link
	}
	if s, ok := c.numberInDebug(a, r, in); ok && s != in.S && c.sameInDebug(p, s) {
		in.S = s
	}
	kind := oracle.Constant
	if in.SectionType == cuda.SHTCudaGlobal || in.SectionType == cuda.SHTCudaGlobalInit {
		kind = oracle.Global
	}
	return c.dispose(r, nil, kind, in)
}

// judgeImage is judge for textures, surfaces and samplers.
func (c *check) judgeImage(m *module, a *area, r record, id *identity, in oracle.Inputs) decision {
	if oracle.TakesBindlessSlot(r.kind) && !c.relocatable {
		in.S, in.SectionType = c.slotOf(id, a.owner), cuda.SHTCudaConstant0
		if c.side == sassSide && c.out.side != whole && r.kind == cuda.R_CUDA_ABS16_32 {
			in.S -= c.slotBase // as on the Mercury side
		}
	}
	if !c.relocatable || c.out.side == whole {
		return c.dispose(r, id, oracle.Texture, in)
	}
	// Kept for the final link, yet the SASS has a slot already: mostly the first,
	// and any will do, as the final link writes it anew.
	disposition, err := oracle.DispositionOf(r.kind, oracle.Texture, c.release, c.sm)
	if err == nil && c.side == sassSide && disposition.Action == oracle.Patches && r.kind != cuda.R_CUDA_ABS16_32 {
		in.S, in.SectionType = c.firstSlot(), cuda.SHTCudaConstant0
		if s, ok := c.slotInCode(a, r, in); ok {
			in.S = s
		}
		c.patch(m, a, r, decision{action: oracle.Patches, as: r.kind, in: in})
	}
	return decision{action: oracle.Keeps, as: r.kind, in: in}
}

// judgeDriver is judge for symbols whose number only the driver knows; nothing is placed.
func (c *check) judgeDriver(a *area, r record, id *identity, in oracle.Inputs) decision {
	if c.leftForFinal(a, r, id) {
		return decision{action: oracle.Keeps, as: r.kind, in: in} // whatever the final link makes of it
	}
	in.S = 1<<64 - 1
	if id.constantSize() {
		in.S = c.constantBytes
	}
	return c.dispose(r, id, oracle.Hidden, in)
}

// leftForFinal reports whether a relocatable output still has a record of an input. A
// final link carries it out as it would have the input's, so it is right wherever the
// symbol is the same: so with the slots of addresses ($ADDRESS$) of position
// independent code, of which nvlink leaves some and carries out others.
func (c *check) leftForFinal(a *area, r record, id *identity) bool {
	return c.relocatable && a.out != nil && c.out.namesAt(a.out.index)[c.movedTo(a, r.offset)].symbol == id.name
}

// judgeObject is judge for variables and constants that have a place.
func (c *check) judgeObject(a *area, r record, id *identity, in oracle.Inputs) decision {
	kind := oracle.Global
	in.S = id.value
	if id.at != nil {
		in.SectionType = id.at.kind
	}
	if _, constant := bankOf(in.SectionType); constant {
		kind = oracle.Constant
		if id.other&cuda.STOVisibility == cuda.STOInternal {
			kind = oracle.Hidden
			if c.leftForFinal(a, r, id) {
				return decision{action: oracle.Keeps, as: r.kind, in: in}
			}
		}
	} else if in.SectionType == cuda.SHTCudaSharedReserved && c.side == sassSide && c.out.side != whole && !c.relocatable {
		kind = oracle.Constant // the SASS has the address, see placeReserved
	}
	return c.dispose(r, id, kind, in)
}

// slotInCode is the slot that code of the output has at a record.
func (c *check) slotInCode(a *area, r record, in oracle.Inputs) (uint64, bool) {
	if a.out == nil || !a.code() {
		return 0, false
	}
	before, ok := cut(a.want, r.offset, instruction)
	after, okToo := cut(a.out.body, c.movedTo(a, r.offset), instruction)
	if !ok || !okToo {
		return 0, false
	}
	return tell(r.kind, before, after, in)
}

func bankOf(kind cuda.SectionType) (int, bool) {
	return bank(&section{kind: kind})
}

// judgeShared is judge for shared variables, whose place the layout gives.
func (c *check) judgeShared(m *module, a *area, r record, id *identity) decision {
	in := oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset, S: id.value, SectionType: cuda.SHTCudaShared}
	if id.externShared() && !c.relocatable {
		in.S = 1<<64 - 1
		if at, known := c.told[toldKey{id: id, code: a.owner}]; known {
			in.S = at
		} else if a.owner == nil {
			in.S = c.externInData(a, r, id, in)
		}
	}
	if !id.placed && a.owner == nil && isDebug(a.name) && id.def != nil && c.out.side != whole && !c.relocatable && c.nobodyUses(id) {
		c.setFree(a, r.offset) // of code that is gone: it has no place that could be told
	}
	if id.def != nil {
		in.Slot = uint32(id.def.value)
		if s := c.unplaced(a, r, in, id); s != id.value && !id.externShared() {
			in.S = s
			return decision{action: oracle.Patches, as: r.kind, in: in}
		}
	}
	disposition, err := oracle.DispositionOf(r.kind, oracle.Hidden, c.release, c.sm)
	if err != nil {
		return decision{action: oracle.Drops}
	}
	d := decision{action: disposition.Action, as: disposition.As, in: in}
	if c.relocatable && id.bind() == cuda.STBWeak {
		d.action, d.as = oracle.Keeps, r.kind
	}
	if id.externShared() && c.relocatable && d.action == oracle.Patches {
		return c.earlyExtern(a, r, d, id)
	}
	if c.relocatable && (id.def != nil || c.release >= 132) { // 13.2 and later place nothing shared, an undefined variable neither
		d.action, d.as = oracle.Keeps, r.kind
	}
	return d
}
