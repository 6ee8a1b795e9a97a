package check

import (
	"fmt"
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Which section and which symbol of the output is whom.
//
// A name that is there once is sure. Static functions and variables of several
// inputs may have one name; then code that is sure tells by its records, which
// name a symbol of the input and one of the output; then the bytes; and the order
// last.

// codeMatch is the state of the search for code.
type codeMatch struct {
	sections map[string][]*section // of the output, not yet taken
	areas    map[string][]*area    // not yet found
	queue    []*area               // found, and not yet followed
	named    map[*section]map[string]bool
	lines    map[*image]map[int]string // of code by its section, see linesOf
}

func (c *check) matchCode() error {
	m := codeMatch{sections: map[string][]*section{}, areas: map[string][]*area{}}
	var names []string
	for i := range c.out.sections {
		if s := &c.out.sections[i]; isCode(s) {
			m.sections[s.name] = append(m.sections[s.name], s)
		}
	}
	for _, a := range c.areas {
		if a.code() && a.owner.live {
			if m.areas[a.name] == nil {
				names = append(names, a.name)
			}
			m.areas[a.name] = append(m.areas[a.name], a)
		}
	}
	for _, name := range names {
		if len(m.areas[name]) == 1 && len(m.sections[name]) == 1 {
			c.takeCode(&m, m.areas[name][0], m.sections[name][0])
		}
	}
	if c.sass != nil {
		c.matchCapsules(&m)
	}
	if err := c.followRecords(&m); err != nil {
		return err
	}
	// What is sure first: code that it names need not be told by its own bytes.
	for _, sure := range [...]bool{true, false} {
		for _, name := range names {
			for len(m.areas[name]) > 0 && len(m.sections[name]) > 0 {
				taken, err := c.matchByBytes(&m, name, sure)
				if err != nil {
					return err
				}
				if err := c.followRecords(&m); err != nil {
					return err
				}
				if !taken {
					break
				}
			}
		}
	}
	return nil
}

// matchCapsules matches capsules of functions that several inputs name alike as
// their SASS was: the first word of a capsule names its section.
func (c *check) matchCapsules(m *codeMatch) {
	for i := range c.out.sections {
		s := &c.out.sections[i]
		index := word(s.body, 0)
		if !isCode(s) || c.out.areas[i] != nil || int(index) >= len(c.sass.out.bodies) || c.sass.out.bodies[index] == nil {
			continue
		}
		b := c.sass.out.bodies[index]
		for _, a := range m.areas[s.name] {
			if a.owner.mod.number == b.mod.number && symbolOf(a.owner.section.info) == symbolOf(b.section.info) {
				c.takeCode(m, a, s)
				break
			}
		}
	}
}

func (c *check) takeCode(m *codeMatch, a *area, s *section) {
	a.out, c.out.areas[s.index], c.out.bodies[s.index] = s, a, a.owner
	m.areas[a.name] = without(m.areas[a.name], a)
	m.sections[a.name] = without(m.sections[a.name], s)
	m.queue = append(m.queue, a)
}

func without[T comparable](list []T, x T) []T {
	var rest []T
	for _, y := range list {
		if y != x {
			rest = append(rest, y)
		}
	}
	return rest
}

// manyAlike is how many pairs of a name are compared before one is taken for sure.
const manyAlike = 4096

// matchByBytes takes one pair of a name: the first that is likest by the names in its
// records, then by its bytes, then by its lines. sure: only one that no other is as like as.
func (c *check) matchByBytes(m *codeMatch, name string, sure bool) (taken bool, err error) {
	areas, sections := m.areas[name], m.sections[name]
	if sure && len(areas)*len(sections) > manyAlike {
		return false, nil
	}
	sort.SliceStable(areas, func(i, j int) bool { return areas[i].owner.first() < areas[j].owner.first() })
	if m.named == nil {
		m.named = map[*section]map[string]bool{}
	}
	bestArea, bestSection, most, ties := areas[0], sections[0], 0, false
	for _, a := range areas {
		asked := m.namesIn(c, a.owner.section, a.owner.mod.image, a.owner.relocLists())
		for _, s := range sections {
			var lists []relocs
			for _, i := range c.out.listsOf[s.index] {
				lists = append(lists, c.out.lists[i])
			}
			found := m.namesIn(c, s, c.out.image, lists)
			if err := c.budget.spend("output", 1+a.size/64+uint64(len(found))); err != nil {
				return false, err
			}
			score, best := 8*likeNames(asked, found), 23
			if len(found) == 0 {
				best = 7
			}
			if a.size == s.size && a.owner.mod.alike(a.owner.section, 0, a.size, s.body, 0) {
				score += 4
			}
			if sameLimit(a.owner.attributes(), c.out.attributesOf(s.index)) {
				score += 2
			}
			if c.linesLike(m, a, s) {
				score++
			}
			switch {
			case score > most:
				bestArea, bestSection, most, ties = a, s, score, false
			case score == most && (a == bestArea || s == bestSection):
				ties = true
			}
			if score == best && !sure {
				c.takeCode(m, bestArea, bestSection)
				return true, nil
			}
		}
	}
	if sure && (ties || most == 0) {
		return false, nil
	}
	c.takeCode(m, bestArea, bestSection)
	return true, nil
}

// namesIn are the names of the symbols that the records of code are about.
func (m *codeMatch) namesIn(c *check, s *section, f *image, lists []relocs) map[string]bool {
	names, known := m.named[s]
	if known {
		return names
	}
	names = map[string]bool{}
	for _, l := range lists {
		for _, r := range l.list {
			if int(r.symbol) < len(f.symbols) {
				names[c.withoutNumber(f.symbols[r.symbol].name)] = true
			}
		}
	}
	m.named[s] = names
	return names
}

// sameLimit reports whether attributes of two pieces of code name the same limit of
// registers, which a link leaves as it is.
func sameLimit(a, b []attribute) bool {
	limit := func(list []attribute) string {
		for _, x := range list {
			if x.attr == cuda.AttrMaxregCount {
				return string(x.value)
			}
		}
		return ""
	}
	return limit(a) == limit(b)
}

// likeNames is 2 where records of the output name what those of an input do, 1 where
// some of the input's are gone, and 0 where others are there, or none.
func likeNames(asked, found map[string]bool) int {
	for name := range found {
		if !asked[name] {
			return 0
		}
	}
	switch len(found) {
	case 0:
		return 0
	case len(asked):
		return 2
	}
	return 1
}

// followRecords lets code that is found tell of other code: a record of the
// input and the one of the output at the same place name the same.
func (c *check) followRecords(m *codeMatch) error {
	for ; len(m.queue) > 0; m.queue = m.queue[1:] {
		a := m.queue[0]
		if len(m.areas) == 0 {
			continue
		}
		found := map[uint64]uint32{}
		for _, i := range c.out.listsOf[a.out.index] {
			for _, r := range c.out.lists[i].list {
				found[r.offset] = r.symbol
			}
		}
		for _, l := range a.owner.relocLists() {
			if err := c.budget.spend(a.owner.mod.name, uint64(len(l.list))); err != nil {
				return err
			}
			for _, r := range l.list {
				id := a.owner.mod.refs[r.symbol].id.first()
				if id == nil || !id.local {
					continue
				}
				if a.words == nil && c.out.side == sassSide {
					if err := c.mapWordsOf(a); err != nil {
						return err
					}
				}
				index, there := found[c.movedTo(a, r.offset)]
				if !there || int(index) >= len(c.out.symbols) {
					continue
				}
				s := &c.out.symbols[index]
				if c.withoutNumber(s.name) != c.nameInOutput(id) || s.special {
					continue
				}
				if !id.function() {
					c.recordsTell(id, int(index))
					continue
				}
				if id.code != nil && id.code.area != nil && id.code.area.out == nil && c.out.areas[s.shndx] == nil && isCode(&c.out.sections[s.shndx]) && c.out.sections[s.shndx].name == id.code.area.name {
					c.takeCode(m, id.code.area, &c.out.sections[s.shndx])
				}
			}
		}
	}
	return nil
}

// recordsTell takes a symbol for an object that several inputs name alike.
func (c *check) recordsTell(id *identity, index int) {
	if id.out == 0 && c.out.refs[index].id == nil {
		id.out, c.out.refs[index] = index, ref{id: id}
	}
}

// first is the moment when the function got its first definition.
func (b *body) first() int {
	first := 1 << 62
	for _, id := range b.names {
		first = min(first, id.defined)
	}
	return first
}

// compareProgram tells an output of another program from a bad one: nothing
// that the inputs define has its name there.
func (c *check) compareProgram() {
	defined, found := 0, 0
	for _, id := range c.ids {
		if id.def == nil && !id.common || !c.required(id) {
			continue
		}
		defined++
		if id.out != 0 {
			found++
		}
	}
	if defined > 0 && found == 0 {
		c.verdict.add(Finding{Kind: OtherProgram, File: "output", Want: fmt.Sprintf("some of %d names", defined), Got: "none"})
	}
}

// matchUnique matches names that inputs and output have once.
func (c *check) matchUnique() {
	c.idsByName = sameKeys[string, *identity](c.outByName, len(c.ids))
	for _, id := range c.ids {
		if c.allowed(id) {
			c.idsByName.add(c.nameInOutput(id), id)
		}
	}
	c.idsByName.done()
	for n := range int32(len(c.outByName.numbers)) {
		if ids, symbols := c.idsByName.at(n), c.outByName.at(n); len(ids) == 1 && len(symbols) == 1 {
			c.recordsTell(ids[0], symbols[0])
		}
	}
	for i := range c.out.symbols {
		if s := &c.out.symbols[i]; s.kind() == cuda.STTSection && !s.special {
			c.out.refs[i] = ref{area: c.out.areas[s.shndx]}
		}
	}
}

// matchRest matches what is left by place, and by order among equals.
func (c *check) matchRest() error {
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		if s.kind() == cuda.STTSection || c.out.refs[i].id != nil {
			continue
		}
		list := c.idsByName.of(c.withoutNumber(s.name))
		if err := c.budget.spend("output", uint64(len(list))); err != nil {
			return err
		}
		if j := c.likest(list, s); j >= 0 {
			id := list[j]
			c.out.refs[i] = ref{id: id}
			if id != c.instance {
				id.out = i
			} else if id.out == 0 {
				id.out = i
			}
		}
	}
	return nil
}

// nameInOutput is the name by which an identity is looked for. The finalizer
// numbers the compiler constants of a function, "f.const_opt.0.16" and so on, in
// an order of its own; the inputs of a second link have such numbers already.
func (c *check) nameInOutput(id *identity) string { return c.withoutNumber(id.name) }

// withoutNumber is a symbol's name as nameInOutput has it. With -r and
// --preserve-relocs nvlink 13.5 leaves the names of constants as they are.
func (c *check) withoutNumber(name string) string {
	if f, _, constant := strings.Cut(name, ".const_opt."); constant && c.out.side != whole {
		return numbered + f
	}
	if dot := strings.LastIndexByte(name, '.'); strings.HasPrefix(name, numbered) && dot > len(numbered) {
		name = name[:dot]
	}
	return name
}

const numbered = ".nv.constant.optimizer."

// likest chooses among the identities of one name that have no symbol yet: of the
// same section and place, else of the same section and size, else of the same
// sort; the first of equals. -1: none.
func (c *check) likest(list []*identity, s *symbol) int {
	best, most := -1, 0
	for j, id := range list {
		if id.out != 0 && id != c.instance {
			continue
		}
		if len(list) == 1 {
			return 0
		}
		if id.function() != (s.kind() == cuda.STTFunc) || id.local != (s.bind() == cuda.STBLocal) {
			continue
		}
		score := 2
		at := id.at
		if id.function() && id.code != nil {
			at = id.code.area
		}
		inside := !s.special && at != nil && at.out != nil && at.out.index == s.shndx
		if !inside && at != nil && at.out != nil {
			score = 1 // one whose definition lost may have its symbol anywhere
		}
		switch told, known := c.told[toldKey{id: id}]; {
		case inside && id.function():
			score += 8
		case inside && id.placed && id.value == s.value:
			score += 8
		case id.space() == cuda.STOShared && known && told+c.reserved == s.value:
			score += 8
		case inside:
			score += 2
		}
		if id.size == s.size {
			score += 4
		}
		if score > most {
			best, most = j, score
		}
	}
	return best
}

// required reports whether an identity has a symbol in a correct output that
// was not stripped.
func (c *check) required(id *identity) bool {
	switch {
	case id.function():
		return id.live && (id.def != nil || id.named || id.reached)
	case id.image():
		return id.named
	case id.space() == cuda.STOShared:
		return false
	case id.def == nil && !id.common:
		return id.named && !id.local && (c.relocatable || !unified(id.name))
	case id.other&cuda.STOVisibility == cuda.STOInternal:
		return false
	}
	return !c.lostWithCode(id)
}

// allowed reports whether an identity may have a symbol.
func (c *check) allowed(id *identity) bool {
	if id.function() {
		return id.live || id.def == nil || id.code != nil && id.code.live
	}
	return true
}

// lostWithCode reports whether an object belongs to code that is not there.
func (c *check) lostWithCode(id *identity) bool {
	if id.def == nil || id.def.special {
		return false
	}
	owner := id.mod.ownerOf(&id.mod.sections[id.def.shndx])
	return owner != nil && (owner.disposition != won || !owner.live)
}
