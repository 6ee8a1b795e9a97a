package apply

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// judge decides over one record of an area.
func (c *Applied) judge(m *link.Module, a *link.Area, r image.Record) decision {
	drop := decision{action: oracle.Drops}
	s, id := &m.Symbols[r.Symbol], m.Refs[r.Symbol].ID.Meant()
	switch {
	case image.IsFunctionSize(r.Kind):
		if id != nil && id.Function() && !id.Live && id.Def != nil {
			c.clear(a, r)
		}
		return drop
	case image.IsYield(r.Kind):
		return c.judgeYield(m, a, r)
	case r.Symbol == 0 || id != nil && id.Function() && id.Def != nil && !id.Live:
		return drop
	}
	in := oracle.Inputs{Rela: r.Rela, A: r.Addend, P: r.Offset}
	if id != nil && id.Def == nil && link.Unified(id.Name) {
		if c.leftForFinal(a, r, id) { // where the link has unified functions
			return decision{action: oracle.Keeps, as: r.Kind, in: in}
		}
		return drop
	}
	switch {
	case id == nil && s.Kind() == cuda.STTSection && !s.Special:
		return c.judgeSection(m, a, r, in)
	case id == nil && !s.Defined() && s.Kind() == cuda.STTNotype && s.Bind() == cuda.STBLocal && verdict.IsDebug(a.Name) && !c.Relocatable:
		return c.judgeLabel(a, r, in)
	case id == nil:
		return drop
	case id.Function():
		return c.dispose(r, id, oracle.Function, in)
	case id.Image():
		return c.judgeImage(m, a, r, id, in)
	case id.Def == nil && id.Local:
		return c.judgeDriver(a, r, id, in)
	case id.Def == nil && !id.Common && id.Space() != cuda.STOShared:
		return c.dispose(r, id, oracle.Global, in) // kept, as nothing is known of it
	case id.Space() == cuda.STOShared:
		return c.judgeShared(m, a, r, id)
	}
	return c.judgeObject(a, r, id, in)
}

// dispose is the decision that a type and a kind of symbol make together.
func (c *Applied) dispose(r image.Record, id *link.Identity, kind oracle.SymbolKind, in oracle.Inputs) decision {
	disposition, err := oracle.DispositionOf(r.Kind, kind, c.Release, c.SM)
	if err != nil {
		return decision{action: oracle.Keeps, as: r.Kind, in: in}
	}
	if c.Relocatable && (disposition.Action == oracle.Keeps || kind == oracle.Constant && id != nil && id.Bind() == cuda.STBWeak) {
		// Only a final link renames the unified types, and a weak constant
		// may still move.
		disposition = oracle.Disposition{Action: oracle.Keeps, As: r.Kind}
	}
	return decision{action: disposition.Action, as: disposition.As, in: in}
}

// judgeYield is judge for YIELD. From sm_70 on it stays in kernels; in functions, which
// may be called from anywhere, it becomes NOP all the same.
func (c *Applied) judgeYield(m *link.Module, a *link.Area, r image.Record) decision {
	if c.keepsYield(a) {
		if c.Relocatable { // the final link may still ask
			a.Keep(link.Kept{Offset: r.Offset, Kind: r.Kind, Addend: r.Addend, Rela: r.Rela, Mod: m, Optional: true})
		}
		return decision{action: oracle.Drops}
	}
	// The record names symbol 0. Where that has a value, as nvlink's may, it must not
	// count: the word would be another operation than NOP.
	in := oracle.Inputs{Rela: r.Rela, A: r.Addend, P: r.Offset}
	return decision{action: oracle.Patches, as: r.Kind, in: in}
}

// judgeSection is judge for the symbol of a section.
func (c *Applied) judgeSection(m *link.Module, a *link.Area, r image.Record, in oracle.Inputs) decision {
	s := &m.Symbols[r.Symbol]
	p := m.Places[s.Shndx]
	in.SectionType = m.Sections[s.Shndx].Kind
	if p.Part != nil {
		in.S = p.Part.Base
	}
	if p.Area != nil && p.Area.Moved {
		in.S += p.Area.MovedTo
	}
	if at, known := c.linesAt(m, s.Shndx, uint64(r.Addend)); known && r.Rela {
		in.S = at - uint64(r.Addend)
	}
	if c.Relocatable && r.Rela && p.Area != nil && c.Rewritten(p.Area) {
		return decision{action: oracle.Keeps, as: r.Kind, in: in} // they are regenerated in the final link
	}
	if s, ok := c.numberInDebug(a, r, in); ok && s != in.S && c.SameInDebug(p, s) {
		in.S = s
	}
	kind := oracle.Constant
	if in.SectionType == cuda.SHTCudaGlobal || in.SectionType == cuda.SHTCudaGlobalInit {
		kind = oracle.Global
	}
	return c.dispose(r, nil, kind, in)
}

// judgeImage is judge for textures, surfaces and samplers.
func (c *Applied) judgeImage(m *link.Module, a *link.Area, r image.Record, id *link.Identity, in oracle.Inputs) decision {
	if oracle.TakesBindlessSlot(r.Kind) && !c.Relocatable {
		in.S, in.SectionType = c.SlotOf(id, a.Owner), cuda.SHTCudaConstant0
		if c.Side == image.SassSide && c.Out.Side != image.Whole && r.Kind == cuda.R_CUDA_ABS16_32 {
			in.S -= c.SlotBase // as on the Mercury side
		}
	}
	if !c.Relocatable || c.Out.Side == image.Whole {
		return c.dispose(r, id, oracle.Texture, in)
	}
	// Kept for the final link, yet the SASS has a slot already: mostly the first,
	// and any will do, as the final link writes it again.
	disposition, err := oracle.DispositionOf(r.Kind, oracle.Texture, c.Release, c.SM)
	if err == nil && c.Side == image.SassSide && disposition.Action == oracle.Patches && r.Kind != cuda.R_CUDA_ABS16_32 {
		in.S, in.SectionType = c.FirstSlot(), cuda.SHTCudaConstant0
		if s, ok := c.slotInCode(a, r, in); ok {
			in.S = s
		}
		c.patch(m, a, r, decision{action: oracle.Patches, as: r.Kind, in: in})
	}
	return decision{action: oracle.Keeps, as: r.Kind, in: in}
}

// judgeDriver is judge for symbols whose number only the driver knows; nothing is placed.
func (c *Applied) judgeDriver(a *link.Area, r image.Record, id *link.Identity, in oracle.Inputs) decision {
	if c.leftForFinal(a, r, id) {
		return decision{action: oracle.Keeps, as: r.Kind, in: in} // whatever the final link makes of it
	}
	in.S = 1<<64 - 1
	if id.ConstantSize() {
		in.S = c.ConstantBytes
	}
	return c.dispose(r, id, oracle.Hidden, in)
}

// leftForFinal reports whether a relocatable output still has a record of an input. A
// final link carries it out as it would have the input's, so it is right wherever the
// symbol is the same: so with the slots of addresses ($ADDRESS$) of position
// independent code, of which nvlink leaves some and applies others.
func (c *Applied) leftForFinal(a *link.Area, r image.Record, id *link.Identity) bool {
	return c.Relocatable && a.Out != nil && c.Out.NamesAt(a.Out.Index)[c.MovedTo(a, r.Offset)].Symbol == id.Name
}

// judgeObject is judge for variables and constants that have a place.
func (c *Applied) judgeObject(a *link.Area, r image.Record, id *link.Identity, in oracle.Inputs) decision {
	kind := oracle.Global
	in.S = id.Value
	if id.At != nil {
		in.SectionType = id.At.Kind
	}
	if _, constant := link.BankOf(in.SectionType); constant {
		kind = oracle.Constant
		if id.Other&cuda.STOVisibility == cuda.STOInternal {
			kind = oracle.Hidden
			if c.leftForFinal(a, r, id) {
				return decision{action: oracle.Keeps, as: r.Kind, in: in}
			}
		}
	} else if in.SectionType == cuda.SHTCudaSharedReserved && c.Side == image.SassSide && c.Out.Side != image.Whole && !c.Relocatable {
		kind = oracle.Constant // the SASS has the address, see placeReserved
	}
	return c.dispose(r, id, kind, in)
}

// slotInCode is the slot that code of the output has at a record.
func (c *Applied) slotInCode(a *link.Area, r image.Record, in oracle.Inputs) (uint64, bool) {
	if a.Out == nil || !a.Code() {
		return 0, false
	}
	before, ok := image.Cut(a.Want, r.Offset, sass.Instruction)
	after, okToo := image.Cut(a.Out.Body, c.MovedTo(a, r.Offset), sass.Instruction)
	if !ok || !okToo {
		return 0, false
	}
	return place.Tell(r.Kind, before, after, in)
}

// judgeShared is judge for shared variables, whose place the layout gives.
func (c *Applied) judgeShared(m *link.Module, a *link.Area, r image.Record, id *link.Identity) decision {
	in := oracle.Inputs{Rela: r.Rela, A: r.Addend, P: r.Offset, S: id.Value, SectionType: cuda.SHTCudaShared}
	if id.ExternShared() && !c.Relocatable {
		in.S = 1<<64 - 1
		if at, known := c.Observed[link.ObservedKey{ID: id, Code: a.Owner}]; known {
			in.S = at
		} else if a.Owner == nil {
			in.S = c.externInData(a, r, id, in)
		}
	}
	if !id.Placed && a.Owner == nil && verdict.IsDebug(a.Name) && id.Def != nil && c.Out.Side != image.Whole && !c.Relocatable && c.nobodyUses(id) {
		c.setFree(a, r.Offset) // of code that is gone: it has no place that could be told
	}
	if id.Def != nil {
		in.Slot = uint32(id.Def.Value)
		if s := c.unplaced(a, r, in, id); s != id.Value && !id.ExternShared() {
			in.S = s
			return decision{action: oracle.Patches, as: r.Kind, in: in}
		}
	}
	disposition, err := oracle.DispositionOf(r.Kind, oracle.Hidden, c.Release, c.SM)
	if err != nil {
		return decision{action: oracle.Drops}
	}
	d := decision{action: disposition.Action, as: disposition.As, in: in}
	if c.Relocatable && id.Bind() == cuda.STBWeak {
		d.action, d.as = oracle.Keeps, r.Kind
	}
	if id.ExternShared() && c.Relocatable && d.action == oracle.Patches {
		return c.earlyExtern(a, r, d, id)
	}
	if c.Relocatable && (id.Def != nil || c.Release >= 132) { // 13.2 and later place nothing shared, an undefined variable neither
		d.action, d.as = oracle.Keeps, r.Kind
	}
	return d
}
