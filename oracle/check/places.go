package check

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Places come from the output.
//
// An object with a symbol lies where the symbol says. One without (constants of
// the compiler, shared memory, what was stripped) lies where the fields say that
// name it. A part of a section without either (debug information) lies where its
// bytes are. The order of the inputs is the first guess and no more; that the
// places are possible ones, and that every field agrees with them, is checked
// afterwards.

// pairSections finds which section of the output is which area.
func (c *check) pairSections() {
	o := c.out
	for i := range o.sections {
		s := &o.sections[i]
		if o.areas[i] != nil || s.kind != cuda.SHTProgbits && s.kind != cuda.SHTNobits && s.kind < cuda.SHTCudaConstant || !merges(s) && s.kind != cuda.SHTCudaShared {
			continue
		}
		var owner *body
		if s.flags&cuda.SHFAlloc != 0 && int(s.info) < len(o.bodies) {
			owner = o.bodies[s.info]
		}
		key := areaKey{baseName(s, owner), owner}
		a := c.byKey[key]
		switch {
		case a != nil:
		case isSharedName(key):
			a = c.area(key.base, s.name, owner)
			a.kind, a.flags, a.align, a.optional = cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc, s.align, true
		case c.units && owner != nil && owner.kernel() && (key.base == compilerBank || key.base == mercuryBank):
			// Constants of functions that the kernel reaches, which no field names.
			a = c.area(key.base, s.name, owner)
			a.kind, a.flags, a.align, a.optional = c.compilerKind(s), cuda.SHFAlloc, s.align, true
			if c.release >= flagsOwned {
				a.flags |= cuda.SHFInfoLink
			}
		}
		if a != nil && a.out == nil {
			a.out, o.areas[i] = s, a
		}
	}
}

// isSharedName reports whether an area holds shared variables, of a kernel or
// of nobody.
func isSharedName(key areaKey) bool {
	return key.base == ".nv.shared." && key.owner != nil || key.base == ".nv_debug.shared" && key.owner == nil
}

// compilerBank is the bank of constants that the compiler made.
const (
	compilerBank = ".nv.constant2."
	mercuryBank  = ".nv.constant.optimizer."
)

// compilerKind is the type of such a bank before it is lowered for the output.
func (c *check) compilerKind(s *section) cuda.SectionType {
	if c.side == mercurySide {
		return s.kind
	}
	return cuda.SHTCudaConstant0 + 2
}

// placeParts finds where the parts of an area lie.
func (c *check) placeParts(a *area) error {
	if a.out == nil || a.code() || len(a.parts) == 0 || a.moved {
		for _, p := range a.parts {
			p.placed = a.code()
		}
		return nil
	}
	if c.laysReserved(a) {
		return nil
	}
	var open []*part
	for _, p := range a.parts {
		if !c.placeByObjects(a, p) {
			open = append(open, p)
		}
	}
	open, err := c.placeByRecords(a, open)
	if err != nil {
		return err
	}
	return c.placeByContent(a, open)
}

// placeByObjects takes the place that most of a part's objects tell; the others
// were moved by themselves.
func (c *check) placeByObjects(a *area, p *part) bool {
	votes := map[uint64]int{}
	var best uint64
	objects := c.objectsIn.of(placeOf{p.mod, p.section.index})
	for _, id := range objects {
		at, known := c.toldPlace(a, id)
		if !known || at < id.def.value {
			continue
		}
		delta := at - id.def.value
		votes[delta]++
		if n := votes[delta]; n > votes[best] || n == votes[best] && (delta == p.base || delta < best && best != p.base) {
			best = delta
		}
	}
	if len(votes) == 0 {
		return false
	}
	guess := p.base
	p.base, p.placed = best, true
	if len(votes) > 1 {
		for _, id := range objects {
			if at, known := c.toldPlace(a, id); known && at != best+id.def.value && c.mayLieAt(a, id, at) {
				p.moves = append(p.moves, move{id.def.value, id.size, at})
			}
		}
		slices.SortFunc(p.moves, func(x, y move) int { return cmp.Compare(x.from, y.from) })
	}
	if guess != p.base {
		c.verdict.habit(Finding{Kind: SectionBytes, File: p.mod.name, Section: a.name, Offset: p.base, Detail: "laid out in another order than the inputs'"})
	}
	return true
}

// mayLieAt reports whether the bytes at a place are an object's.
func (c *check) mayLieAt(a *area, id *identity, at uint64) bool {
	s := &id.mod.sections[id.def.shndx]
	if at > a.out.size || id.size > a.out.size-at {
		return false
	}
	if s.body == nil {
		return true
	}
	return id.mod.alike(s, id.def.value, id.size, a.out.body, at)
}

// toldPlace is the place of an object by its symbol, else by a field.
func (c *check) toldPlace(a *area, id *identity) (uint64, bool) {
	if id.out != 0 {
		s := &c.out.symbols[id.out]
		return s.value, !s.special && s.shndx == a.out.index && (!c.relocatable || id.space() != cuda.STOShared)
	}
	at, known := c.told[toldKey{id: id}]
	return at, known
}

// placeByNames takes for a part the place where the output has symbols of the names
// and sizes of all its objects, as it has for static variables that several inputs
// name alike.
func (c *check) placeByNames(a *area, open []*part, taken *[]span) (left []*part, err error) {
	for _, p := range open {
		votes := map[uint64]int{}
		named := 0
		for _, id := range c.objectsIn.of(placeOf{p.mod, p.section.index}) {
			namesakes := c.outByName.of(id.name)
			if len(namesakes) == 0 || id.size == 0 {
				continue
			}
			named++
			for _, i := range namesakes {
				s := &c.out.symbols[i]
				if !s.special && s.shndx == a.out.index && s.size == id.size && s.value >= id.def.value {
					votes[s.value-id.def.value]++
				}
			}
			if err := c.budget.spend(p.mod.name, uint64(len(namesakes))); err != nil {
				return nil, err
			}
		}
		var places []uint64
		for at, n := range votes {
			if n == named {
				places = append(places, at)
			}
		}
		sortPlaces(places, p.base)
		for _, at := range places {
			ok, err := c.fits(a, p, at, *taken)
			if err != nil {
				return nil, err
			}
			if ok {
				p.base, p.placed = at, true
				*taken = append(*taken, span{at, at + p.section.size})
				break
			}
		}
		if !p.placed {
			left = append(left, p)
		}
	}
	return left, nil
}

// sortPlaces puts places in order, but the one that is assumed first.
func sortPlaces(places []uint64, assumed uint64) {
	slices.SortFunc(places, func(x, y uint64) int {
		if x == assumed || y == assumed {
			return cmp.Compare(diff(x, assumed), diff(y, assumed))
		}
		return cmp.Compare(x, y)
	})
}

func diff(x, y uint64) uint64 { return max(x, y) - min(x, y) }

// search tries the places where a part may begin: behind another, or where an
// object of its name lies.
func (c *check) search(a *area, p *part, taken *[]span) (bool, error) {
	starts := []uint64{0}
	for _, s := range *taken {
		starts = append(starts, roundUp(s.to, max(p.section.align, 1)))
	}
	for _, id := range c.objectsIn.of(placeOf{p.mod, p.section.index}) {
		for _, i := range c.outByName.of(id.name) {
			if s := &c.out.symbols[i]; !s.special && s.shndx == a.out.index && s.value >= id.def.value {
				starts = append(starts, s.value-id.def.value)
			}
		}
	}
	slices.Sort(starts)
	for _, at := range slices.Compact(starts) {
		ok, err := c.fits(a, p, at, *taken)
		if err != nil {
			return false, err
		}
		if ok {
			p.base, p.placed = at, true
			*taken = append(*taken, span{at, at + p.section.size})
			return true, nil
		}
	}
	return false, nil
}

// takenSpans are the places of the parts that are known.
func (a *area) takenSpans() []span {
	var list []span
	for _, p := range a.parts {
		if p.placed {
			for _, piece := range p.pieces() {
				list = append(list, span{piece.to, piece.to + piece.size})
			}
		}
	}
	return list
}

// fits reports whether a part may lie at a place that no other has.
func (c *check) fits(a *area, p *part, at uint64, taken []span) (bool, error) {
	size := p.section.size
	if at > a.out.size || size > a.out.size-at || p.section.align > 1 && at%p.section.align != 0 {
		return false, nil
	}
	if err := c.budget.spend(p.mod.name, uint64(1+len(taken)/8)); err != nil {
		return false, err
	}
	for _, s := range taken {
		if at < s.to && s.from < at+size && size > 0 && s.from < s.to {
			return false, nil
		}
	}
	if p.section.body == nil || a.out.body == nil {
		return true, nil
	}
	if err := c.budget.spend(p.mod.name, size/64); err != nil {
		return false, err
	}
	if !p.mod.alike(p.section, 0, size, a.out.body, at) || !c.pointsToItself(a, p, at) {
		return false, nil
	}
	return c.recordsAgree(a, p, at)
}

// pointsToItself reports whether the fields of debug information that hold a place of
// their own section, as a row of a call frame names its CIE, do so at a place.
func (c *check) pointsToItself(a *area, p *part, at uint64) bool {
	if c.relocatable || a.owner != nil || !isDebug(a.name) {
		return true
	}
	for _, i := range p.mod.relocsOf[p.section.index] {
		for _, r := range p.mod.relocs[i].list {
			s := &p.mod.symbols[r.symbol]
			if s.kind() != cuda.STTSection || s.special || s.shndx != p.section.index || r.kind != cuda.R_CUDA_64 && r.kind != cuda.R_CUDA_32 {
				continue
			}
			width := uint64(8)
			if r.kind == cuda.R_CUDA_32 {
				width = 4
			}
			addend := uint64(r.addend)
			if !r.rela {
				addend = number(p.section.body, r.offset, width)
			}
			if number(a.out.body, at+r.offset, width) != at+addend {
				return false
			}
		}
	}
	return true
}

// alike compares bytes of an input's section with those of the output, but for
// the places that a relocation may write.
func (m *module) alike(s *section, from, size uint64, body []byte, at uint64) bool {
	want, ok := cut(s.body, from, size)
	got, okToo := cut(body, at, size)
	if !ok || !okToo {
		return false
	}
	holes := m.holesOf(s.index)
	i, _ := slices.BinarySearchFunc(holes, from, func(h span, f uint64) int { return cmp.Compare(h.to, f) })
	next := uint64(0)
	for ; i < len(holes) && holes[i].from < from+size; i++ {
		h := span{max(holes[i].from, from) - from, min(holes[i].to, from+size) - from}
		if h.from > next && !bytes.Equal(want[next:h.from], got[next:h.from]) {
			return false
		}
		next = max(next, h.to)
	}
	return next >= size || bytes.Equal(want[next:], got[next:])
}

// holesOf are the places of a section that relocations may write, ascending.
func (m *module) holesOf(index int) []span {
	if m.holes == nil {
		m.holes = map[int][]span{}
		for _, list := range m.relocs {
			for _, r := range list.list {
				if isFunctionSize(r.kind) && m.staysSized(r) {
					continue
				}
				width := uint64(16)
				if isFunctionSize(r.kind) {
					width = widthOfSize(r.kind)
				} else if recipe, err := oracle.RecipeOf(r.kind); err == nil {
					width = uint64(recipe.Bytes())
				}
				m.holes[list.target] = append(m.holes[list.target], span{r.offset, r.offset + width})
			}
		}
		for i := range m.holes {
			slices.SortFunc(m.holes[i], func(x, y span) int { return cmp.Compare(x.from, y.from) })
		}
	}
	return m.holes[index]
}

// staysSized reports whether a record for the size of a function is about code that
// is there, so that nothing is written. Of several definitions that are alike that of
// another input may be the one.
func (m *module) staysSized(r record) bool {
	if int(r.symbol) >= len(m.refs) || m.symbols[r.symbol].special {
		return false
	}
	id, code := m.refs[r.symbol].id, m.bodies[m.symbols[r.symbol].shndx]
	return id != nil && code != nil && !id.several && !id.twin && code.disposition == won && id.code == code && code.live
}

// settleObjects gives every object its place.
func (c *check) settleObjects() {
	for _, id := range c.ids {
		switch {
		case id.function() || id.image():
		case id.space() == cuda.STOShared:
			if at, known := c.told[toldKey{id: id}]; known {
				id.value, id.placed = at, true
			} else if s := c.symbolOf(id); s != nil && s.value >= c.reserved {
				id.value = s.value - c.reserved
			}
		case id.at == nil || c.laysReserved(id.at):
		case id.common:
			if s := c.symbolOf(id); s != nil {
				id.value, id.placed = s.value, true
			}
		case id.def != nil && !id.def.special:
			p := id.mod.places[id.def.shndx].part
			if p == nil {
				continue
			}
			id.value, id.placed = p.at(id.def.value), true
			if id.at.moved {
				id.value += id.at.movedTo
			}
		}
	}
}

// symbolOf is the symbol of an identity in the output, nil for none.
func (c *check) symbolOf(id *identity) *symbol {
	if id.out == 0 {
		return nil
	}
	return &c.out.symbols[id.out]
}

// placeOf names a section of an input.
type placeOf struct {
	mod     *module
	section int
}

// indexObjects notes which objects are defined in which section of an input.
func (c *check) indexObjects() {
	c.objectsIn = newGroups[placeOf, *identity](len(c.ids), 0)
	for _, id := range c.ids {
		if id.def != nil && !id.def.special && !id.function() {
			c.objectsIn.add(placeOf{id.mod, id.def.shndx}, id)
		}
	}
	c.objectsIn.done()
	c.outByName = newGroups[string, int](len(c.out.symbols), len(c.out.symbols))
	for i := range c.out.symbols {
		if s := &c.out.symbols[i]; s.kind() != cuda.STTSection {
			c.outByName.add(c.withoutNumber(s.name), i)
		}
	}
	c.outByName.done()
}
