package check

import (
	"slices"
	"strings"

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

	optional bool // it may be carried out or not
}

func (c *check) relocate() error {
	c.measureConstants()
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
	for _, p := range to.copies() {
		if err := c.relocatePlace(m, list, p); err != nil {
			return err
		}
	}
	return nil
}

// copies lists where a section went: of a unit of compiler constants the banks of
// its kernels, of any other the one place.
func (p place) copies() []place {
	if !p.area.moved {
		return []place{p}
	}
	var list []place
	for _, bank := range p.area.movedInto {
		for _, q := range bank.parts {
			if q.section == p.part.section {
				list = append(list, place{bank, q})
				break
			}
		}
	}
	return list
}

func (c *check) relocatePlace(m *module, list relocs, to place) error {
	if to.area.out != nil && !to.part.placed {
		return nil // its bytes were not found, which is told
	}
	for _, r := range list.list {
		place := r.offset
		r.offset = to.part.at(r.offset)
		if err := c.budget.spend(m.name, 1); err != nil {
			return err
		}
		optional := c.aboutLoser(m, list.target, record{offset: place, kind: r.kind, symbol: r.symbol}) || c.inIdleSlot(m, list.target, r, to.area, place)
		if id := m.refs[r.symbol].id; id != nil && id.image() && oracle.TakesBindlessSlot(r.kind) && !c.relocatable && to.area.owner != nil && !c.hasSlot(id, to.area.owner) {
			// Code that no kernel reaches: there is no slot to tell.
			c.setFree(to.area, r.offset)
			continue
		}
		if c.relocatable && c.placedEarly(m, to.area, r) {
			continue
		}
		if optional {
			c.setFree(to.area, r.offset)
		}
		d := c.judge(m, to.area, r)
		d.optional = d.optional || optional
		switch {
		case d.keepFor != nil:
			to.area.keep(kept{offset: r.offset, kind: r.kind, ref: ref{id: d.keepFor}, addend: r.addend, rela: r.rela, mod: m, optional: optional})
		case d.action == oracle.Patches:
			c.patch(m, to.area, r, d)
		case d.action == oracle.Keeps, d.action == oracle.Finalizes:
			k := kept{offset: r.offset, kind: d.as, ref: c.refOf(m, r.symbol), addend: c.mergedAddend(m, r), rela: r.rela, mod: m, optional: optional, dead: c.neverCalled(to.area.owner, m.refs[r.symbol].id), lost: m.definesAsWell(r.symbol)}
			if !r.rela {
				k.implicit = implicit(to.area, r)
			} else if c.fieldOfTwin(to.area, r) {
				to.area.free = append(to.area.free, span{r.offset, r.offset + 4})
			}
			to.area.keep(k)
		case optional && m.refs[r.symbol].id != nil && m.refs[r.symbol].id.twin:
			// Of functions that are alike, that of another input may have stayed.
			to.area.keep(kept{offset: r.offset, kind: r.kind, ref: c.refOf(m, r.symbol), addend: r.addend, rela: r.rela, mod: m, optional: true})
		}
	}
	return nil
}

// definesAsWell reports whether a module has one of several definitions of a symbol.
func (m *module) definesAsWell(symbol uint32) bool {
	id := m.refs[symbol].id
	return m.symbols[symbol].defined() && id != nil && id.several
}

// setFree lets a relocated place be as it is.
func (c *check) setFree(a *area, offset uint64) {
	if at, stored := c.locate(a, offset); stored {
		a.free = append(a.free, span{at, at + 8})
	}
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
	if k.ref.id != nil && !k.optional && !k.dead {
		k.ref.id.named = true
	}
}

// aboutLoser reports whether a record goes with a definition that another one
// stands for, so that it may be carried out or left. In data that is a record inside
// a weak object that lost; in debug information one that names code of which there
// are several definitions: which of equal ones stayed shows nowhere else. A record
// in data that is there to stay names the definition that won, wherever it lies.
func (c *check) aboutLoser(m *module, section int, r record) bool {
	for _, s := range m.losers[section] {
		if r.offset >= s.value && r.offset-s.value < s.size {
			return true
		}
	}
	s := &m.symbols[r.symbol]
	if s.kind() != cuda.STTFunc || !isDebug(m.sections[section].name) {
		return false
	}
	code := m.bodies[s.shndx]
	id := m.refs[r.symbol].id
	return code != nil && (code.disposition != won || id != nil && (id.several || id.twin))
}

// inIdleSlot reports whether a record gives the address of a function that nobody defines
// to a slot ($ADDRESS$) that no code of the output names, as where a filter took all
// kernels: nothing ever reads it.
func (c *check) inIdleSlot(m *module, section int, r record, a *area, at uint64) bool {
	f := m.refs[r.symbol].id
	if c.relocatable || f == nil || !f.function() || f.def != nil || a.out == nil {
		return false
	}
	if _, constant := bank(&m.sections[section]); !constant || c.out.namesAt(a.out.index)[r.offset].symbol == f.name {
		return false
	}
	idle, objects := false, c.objectsIn.of(placeOf{m, section})
	if c.budget.spend(m.name, uint64(len(objects))) != nil {
		return false
	}
	for _, id := range objects {
		if at < id.def.value || at-id.def.value >= id.size {
			continue
		}
		if idle = id.other&cuda.STOVisibility == cuda.STOInternal && c.nobodyUses(id); !idle {
			return false
		}
	}
	return idle
}

// isDebug reports whether a section holds debug information.
func isDebug(name string) bool {
	return strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, ".nv_debug_")
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

// widthOfSize is how many bytes the size of a function takes.
func widthOfSize(kind uint32) uint64 {
	if kind == cuda.R_CUDA_UNUSED_CLEAR32 {
		return 4
	}
	return 8
}

func isYield(kind uint32) bool {
	return kind == cuda.R_CUDA_YIELD_OPCODE9_0 || kind == cuda.R_CUDA_YIELD_CLEAR_PRED4_87
}

// nobodyUses reports whether no code of the output names an object.
func (c *check) nobodyUses(id *identity) bool {
	u := c.uses[id]
	return u == nil || len(u.functions) == 0
}

// clear blanks the size of a function that has gone.
func (c *check) clear(a *area, r record) {
	width := widthOfSize(r.kind)
	// nvlink clears it, but not for a copy that an earlier link dropped.
	a.free = append(a.free, span{r.offset, r.offset + width})
}

// patch carries a recipe out on the bytes that the output must have.
func (c *check) patch(m *module, a *area, r record, d decision) {
	at, stored := c.locate(a, r.offset)
	if !stored {
		c.verdict.Applied++
		if c.options.PreserveRelocs {
			c.writeDown(m, a, r, d, oracle.Outcome{})
		}
		return
	}
	if at > uint64(len(a.want)) {
		return
	}
	place := a.want[at:min(uint64(len(a.want)), at+16)]
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
	if c.options.PreserveRelocs {
		c.writeDown(m, a, r, d, out)
	}
}

// placedEarly tells of a shared variable that a relocatable output already gives a
// place: nvlink 13.0 carries such records out before anything has one. It writes the
// variable's alignment, whatever else lies there, and the final link asks for no
// memory; where another module defines the variable it writes all ones.
func (c *check) placedEarly(m *module, a *area, r record) bool {
	id := m.refs[r.symbol].id
	if id == nil || id.function() || id.space() != cuda.STOShared || a.out == nil || !a.code() || isYield(r.kind) || id.def == nil && id.externShared() && !a.owner.kernel() {
		return false
	}
	if a.recordsAt == nil {
		a.recordsAt = map[uint64]bool{}
		for _, i := range c.out.listsOf[a.out.index] {
			for _, k := range c.out.lists[i].list {
				a.recordsAt[k.offset] = true
			}
		}
	}
	if at := c.movedTo(a, r.offset); a.recordsAt[at] {
		return false
	}
	c.setFree(a, r.offset)
	if !c.earlyTold[id] {
		if c.earlyTold == nil {
			c.earlyTold = map[*identity]bool{}
		}
		c.earlyTold[id] = true
		detail := "a shared variable was given a place before the final link: others lie there too, and no memory is asked for"
		if id.def == nil {
			detail = "a shared variable that another module defines was given a place before the final link, which can't give it another: no record asks for it"
		}
		c.verdict.add(Finding{Kind: SharedPlace, File: id.file, Section: a.name, Symbol: id.name, Offset: r.offset, Relocation: relocationName(r.kind),
			Want: "a record for the final link", Got: "a number", Detail: detail})
	}
	return true
}

const externInstance = "externsharedinstance"

// standIn reports whether a symbol stands for arrays of unknown length. A final link
// gives the same place to all of a kernel's.
func (i *identity) standIn() bool {
	return i != nil && i.name == externInstance && i.space() == cuda.STOShared
}

// earlyExtern is what becomes, in a relocatable output, of a record against an
// array of unknown length: that of a kernel stays and names a symbol made for it,
// externsharedinstance; one of a function is carried out with 0.
// 13.5 keeps the record as it is.
func (c *check) earlyExtern(a *area, r record, d decision, id *identity) decision {
	if a.out != nil && c.out.namesAt(a.out.index)[c.movedTo(a, r.offset)].symbol == id.name {
		d.action, d.as = oracle.Keeps, r.kind
		return d
	}
	if a.owner == nil || !a.owner.kernel() {
		if d.in.S = 0; id.def != nil || c.release >= 132 {
			d.action, d.as = oracle.Keeps, r.kind
		}
		return d
	}
	if d.keepFor = c.instance; c.instance == nil {
		d.keepFor = &identity{name: externInstance}
	}
	return d
}

// adoptInstance takes the symbol that stands for arrays of unknown length.
func (c *check) adoptInstance() {
	if c.relocatable && len(c.outByName.of(externInstance)) > 0 {
		c.instance = &identity{name: externInstance, order: len(c.ids), early: true, info: 16*byte(cuda.STBWeak) + byte(cuda.STTCudaObject), other: cuda.STOShared | cuda.STOInternal}
		c.ids = append(c.ids, c.instance)
	}
}
