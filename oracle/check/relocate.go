package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// What each record of the inputs must have come to.
//
// The symbol decides together with the type; oracle.FateOf has the rule. A
// record whose symbol has gone (dead code, index 0, the tables that only the
// driver knows) goes too. 72 and 73, which stand in .debug_frame for the size
// of a function, clear their place where the function is dead and do nothing
// where it lives.
//
// Source: links by nvlink 11.8.89, 12.4.131 and 13.0.88.

// decision is what becomes of one record.
type decision struct {
	action oracle.Action
	as     uint32
	in     oracle.Inputs

	keepFor *identity // the record stays for this symbol in place of its own
}

func (c *check) relocate() error {
	for _, m := range c.modules {
		for _, list := range m.relocs {
			if err := c.relocateSection(m, list); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *check) relocateSection(m *module, list relocs) error {
	to := m.places[list.target]
	if to.area == nil || to.area.owner != nil && !to.area.owner.live {
		return nil
	}
	for _, p := range to.shifted() {
		if err := c.relocatePlace(m, list, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) relocatePlace(m *module, list relocs, to place) error {
	for _, r := range list.list {
		if c.ofLoser(m, list.target, r) || c.release >= 130 && c.aboutLoser(m, list, r) {
			continue
		}
		r.offset += to.base
		if err := c.budget.spend(m.name, 1); err != nil {
			return err
		}
		switch d := c.judge(m, to.area, r); {
		case d.keepFor != nil:
			to.area.keep(kept{offset: r.offset, kind: r.kind, ref: ref{id: d.keepFor}, addend: r.addend, rela: r.rela, mod: m})
		case d.action == oracle.Patches:
			c.patch(m, to.area, r, d)
		case d.action == oracle.Keeps:
			if c.forceRela && !r.rela {
				r.addend = implicit(to.area, r)
			}
			to.area.keep(kept{offset: r.offset, kind: d.as, ref: c.refOf(m, r.symbol), addend: r.addend, rela: r.rela, mod: m})
		}
	}
	return nil
}

// implicit is the addend that a REL record has in its place.
func implicit(a *area, r record) int64 {
	place, ok := cut(a.want, r.offset, min(16, uint64(len(a.want))-min(r.offset, uint64(len(a.want)))))
	if !ok {
		return 0
	}
	out, err := oracle.Apply(r.kind, place, oracle.Inputs{})
	if err != nil {
		return 0
	}
	return int64(out.Implicit)
}

func (a *area) keep(k kept) {
	a.kept = append(a.kept, k)
	if k.ref.id != nil {
		k.ref.id.named = true
	}
}

// ofLoser reports whether a record goes with the definition of a weak object
// that another one stands for. In .nv.global.init that is a record inside the
// loser; in a constant bank one that names it, and where a strong definition
// took the place of a weak one, every record of the modules before. (So the
// winner's address is missing there; that is what nvlink does.)
func (c *check) ofLoser(m *module, section int, r record) bool {
	if _, constant := bankOf(m.sections[section].kind); constant {
		id := m.refs[r.symbol].id
		return m.lost[int(r.symbol)] || id != nil && m.number < id.overruled
	}
	for _, s := range m.losers[section] {
		if r.offset >= s.value && r.offset-s.value < s.size {
			return true
		}
	}
	return false
}

// aboutLoser reports whether a record of the frame and line tables names code
// that lost in its own module. Up to 12.x such records stay and name the winner. Of a
// definition that was replaced 13.0 drops the RELA records, and those only if
// code of that name had relocations by then.
func (c *check) aboutLoser(m *module, list relocs, r record) bool {
	code := m.bodies[m.symbols[r.symbol].shndx]
	if code == nil || m.symbols[r.symbol].kind() != cuda.STTFunc {
		return false
	}
	switch m.sections[list.target].name {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass":
	default:
		return false
	}
	switch code.fate {
	case lost:
		return true
	case replaced:
		return list.section.kind == cuda.SHTRela && code.hasRelocs()
	}
	return false
}

// hasRelocs reports whether code, or one that it took the place of, has
// relocations: the section for them stays when its records go.
func (b *body) hasRelocs() bool {
	for ; b != nil; b = b.took {
		if slices.ContainsFunc(b.mod.relocs, func(l relocs) bool { return l.target == b.section.index }) {
			return true
		}
	}
	return false
}

// refOf is what a symbol index of an input stands for in the output.
func (c *check) refOf(m *module, index uint32) ref {
	r := m.refs[index]
	r.id = r.id.first()
	if s := &m.symbols[index]; r.id == nil && s.kind() == cuda.STTSection && !s.special {
		r.area = m.places[s.shndx].area
	}
	return r
}

func isFunctionSize(kind uint32) bool {
	return kind == cuda.R_CUDA_UNUSED_CLEAR32 || kind == cuda.R_CUDA_UNUSED_CLEAR64 || kind == cuda.R_MERCURY_UNUSED_CLEAR64
}

func isYield(kind uint32) bool {
	return kind == cuda.R_CUDA_YIELD_OPCODE9_0 || kind == cuda.R_CUDA_YIELD_CLEAR_PRED4_87
}

// judge decides over one record of an area.
func (c *check) judge(m *module, a *area, r record) decision {
	drop := decision{action: oracle.Drops}
	s := &m.symbols[r.symbol]
	id := m.refs[r.symbol].id.first()
	if isFunctionSize(r.kind) {
		if id != nil && id.function() && !id.live && id.def != nil {
			c.clear(a, r)
		}
		return drop
	}
	if isYield(r.kind) {
		// From sm_70 on YIELD stays in kernels; in functions, which may be
		// called from anywhere, it becomes NOP all the same.
		if c.sm >= forwardProgress && (a.owner == nil || a.owner.kernel()) {
			return drop
		}
		// The record names symbol 0, whose value is not always 0.
		in := oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset}
		if len(c.out.symbols) > 0 {
			in.S = c.out.symbols[0].value
		}
		return decision{action: oracle.Patches, as: r.kind, in: in}
	}
	if r.symbol == 0 || id != nil && (id.function() && id.def != nil && !id.live || id.def == nil && unified(id.name)) {
		return drop
	}
	in := oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset}
	var kind oracle.SymbolKind
	switch {
	case id == nil && s.kind() == cuda.STTSection && !s.special:
		p := m.places[s.shndx]
		in.S, in.SectionType = p.base, m.sections[s.shndx].kind
		kind = oracle.Constant
		if in.SectionType == cuda.SHTCudaGlobal || in.SectionType == cuda.SHTCudaGlobalInit {
			kind = oracle.Global
		}
	case id == nil:
		return drop
	case id.function():
		kind = oracle.Function
	case id.image():
		kind = oracle.Texture
		if oracle.TakesBindlessSlot(r.kind) && !c.relocatable {
			in.S, in.SectionType = id.slot, cuda.SHTCudaConstant0
			if c.side == sassSide && c.out.side != whole && r.kind == cuda.R_CUDA_ABS16_32 {
				in.S -= c.slotBase // as on the Mercury side
			}
		}
	case id.def == nil && id.local:
		in.S = 1<<64 - 1 // a number that only the driver knows; nothing is placed
		kind = oracle.Hidden
	case id.def == nil && !id.common && id.space() != cuda.STOShared:
		kind = oracle.Global // kept, as nothing is known of it
	case id.space() == cuda.STOShared:
		return c.judgeShared(m, a, r, id)
	default:
		kind = oracle.Global
		in.S = id.value
		if id.at.area != nil {
			in.SectionType = id.at.area.kind
		}
		if _, constant := bankOf(in.SectionType); constant {
			kind = oracle.Constant
			if id.other&cuda.STOVisibility == cuda.STOInternal {
				kind = oracle.Hidden
			}
		}
	}
	fate, err := oracle.FateOf(r.kind, kind, c.release, c.sm)
	if err != nil {
		return decision{action: oracle.Keeps, as: r.kind, in: in}
	}
	if c.relocatable && c.out.side != whole && kind == oracle.Texture {
		// Kept for the final link, yet the SASS has the first slot already.
		if c.side == sassSide && fate.Action == oracle.Patches && r.kind != cuda.R_CUDA_ABS16_32 {
			in.S, in.SectionType = c.firstSlot(), cuda.SHTCudaConstant0
			c.patch(m, a, r, decision{action: oracle.Patches, as: r.kind, in: in})
		}
		return decision{action: oracle.Keeps, as: r.kind, in: in}
	}
	if c.relocatable && (fate.Action == oracle.Keeps || kind == oracle.Constant && id != nil && id.bind() == cuda.STBWeak) {
		// Only a final link renames the unified types, and a weak constant
		// may still move.
		fate = oracle.Fate{Action: oracle.Keeps, As: r.kind}
	}
	return decision{action: fate.Action, as: fate.As, in: in}
}

func bankOf(kind cuda.SectionType) (int, bool) {
	return bank(&section{kind: kind})
}

// judgeShared is judge for shared variables, whose place the layout gives.
func (c *check) judgeShared(m *module, a *area, r record, id *identity) decision {
	in := oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset, S: id.value, SectionType: cuda.SHTCudaShared}
	if id.externShared() && !c.relocatable {
		in.S = c.externOffset(id, a.owner)
	}
	if id.def != nil {
		in.Slot = uint32(id.def.value)
	}
	fate, err := oracle.FateOf(r.kind, oracle.Hidden, c.release, c.sm)
	if err != nil {
		return decision{action: oracle.Drops}
	}
	d := decision{action: fate.Action, as: fate.As, in: in}
	if c.relocatable && id.bind() == cuda.STBWeak {
		d.action, d.as = oracle.Keeps, r.kind
	}
	if id.externShared() && c.relocatable && d.action == oracle.Patches {
		return c.earlyExtern(a, r, d)
	}
	return d
}

// clear blanks the size of a function that has gone.
func (c *check) clear(a *area, r record) {
	width := uint64(4)
	if r.kind != cuda.R_CUDA_UNUSED_CLEAR32 {
		width = 8
	}
	part, ok := cut(a.want, r.offset, width)
	if ok {
		for i := range part {
			part[i] = 0
		}
		a.fields = append(a.fields, field{offset: r.offset, size: width, rec: r})
	}
}

// patch carries a recipe out on the bytes that the output must have.
func (c *check) patch(m *module, a *area, r record, d decision) {
	at, stored := c.locate(a, r.offset)
	if !stored {
		c.verdict.Applied++
		if c.preserve {
			c.writeDown(m, a, r, oracle.Outcome{})
		}
		return
	}
	if at > uint64(len(a.want)) {
		return
	}
	place := a.want[at:min(uint64(len(a.want)), at+16)]
	if c.options.Loose {
		d.in.S = c.placeTold(m, a, r, d, place)
	}
	out, err := oracle.Apply(d.as, place, d.in)
	if err != nil {
		c.verdict.add(Finding{Kind: InputConflict, File: m.name, Section: a.name, Offset: r.offset, Detail: err.Error()})
		return
	}
	before := slices.Clone(place)
	copy(place, out.Bytes)
	size := uint64(0)
	for _, f := range out.Written() {
		size = max(size, uint64(f.Bytes()))
	}
	a.fields = append(a.fields, field{offset: at, size: size, rec: r, mod: m, target: m.refs[r.symbol].id, as: d.as, before: before, in: d.in})
	c.verdict.Applied++
	if c.preserve {
		c.writeDown(m, a, r, out)
	}
}
