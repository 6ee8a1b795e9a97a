package place

import (
	"sort"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Which section and which symbol of the output is whom.
//
// A name that is there once is sure. Static functions and variables of several
// inputs may have one name; then code that is sure tells by its records, which
// name a symbol of the input and one of the output; then the bytes; and the order
// last.

// codeMatch is the state of the search for code.
type codeMatch struct {
	sections map[string][]*image.Section // of the output, not yet taken
	areas    map[string][]*link.Area     // not yet found
	queue    []*link.Area                // found, and not yet followed
	named    map[*image.Section]map[string]bool
	lines    map[*image.Image]map[int]string // of code by its section, see linesOf
}

func (c *Places) matchCode() error {
	m := codeMatch{sections: map[string][]*image.Section{}, areas: map[string][]*link.Area{}}
	var names []string
	for i := range c.Out.Sections {
		if s := &c.Out.Sections[i]; link.IsCode(s) {
			m.sections[s.Name] = append(m.sections[s.Name], s)
		}
	}
	for _, a := range c.Areas {
		if a.Code() && a.Owner.Live {
			if m.areas[a.Name] == nil {
				names = append(names, a.Name)
			}
			m.areas[a.Name] = append(m.areas[a.Name], a)
		}
	}
	for _, name := range names {
		if len(m.areas[name]) == 1 && len(m.sections[name]) == 1 {
			c.takeCode(&m, m.areas[name][0], m.sections[name][0])
		}
	}
	if c.Sass != nil {
		c.matchCapsules(&m)
	}
	if err := c.followRecords(&m); err != nil {
		return err
	}
	if err := c.followCalls(&m); err != nil {
		return err
	}
	// What is sure first: code that it names need not be identified by its own bytes.
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
func (c *Places) matchCapsules(m *codeMatch) {
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		index := image.Word(s.Body, 0)
		if !link.IsCode(s) || c.Out.Areas[i] != nil || int(index) >= len(c.Sass.Out.Bodies) || c.Sass.Out.Bodies[index] == nil {
			continue
		}
		b := c.Sass.Out.Bodies[index]
		for _, a := range m.areas[s.Name] {
			if a.Owner.Mod.Number == b.Mod.Number && link.SymbolOf(a.Owner.Section.Info) == link.SymbolOf(b.Section.Info) {
				c.takeCode(m, a, s)
				break
			}
		}
	}
}

func (c *Places) takeCode(m *codeMatch, a *link.Area, s *image.Section) {
	a.Out, c.Out.Areas[s.Index], c.Out.Bodies[s.Index] = s, a, a.Owner
	m.areas[a.Name] = without(m.areas[a.Name], a)
	m.sections[a.Name] = without(m.sections[a.Name], s)
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
func (c *Places) matchByBytes(m *codeMatch, name string, sure bool) (taken bool, err error) {
	areas, sections := m.areas[name], m.sections[name]
	if sure && len(areas)*len(sections) > manyAlike {
		return false, nil
	}
	sort.SliceStable(areas, func(i, j int) bool { return areas[i].Owner.First() < areas[j].Owner.First() })
	if m.named == nil {
		m.named = map[*image.Section]map[string]bool{}
	}
	bestArea, bestSection, most, ties := areas[0], sections[0], 0, false
	for _, a := range areas {
		asked := m.namesIn(c, a.Owner.Section, a.Owner.Mod.Image, a.Owner.RelocLists())
		for _, s := range sections {
			var lists []link.Relocs
			for _, i := range c.Out.ListsOf[s.Index] {
				lists = append(lists, c.Out.Lists[i])
			}
			found := m.namesIn(c, s, c.Out.Image, lists)
			if err := c.Budget.Spend("output", 1+a.Size/64+uint64(len(found))); err != nil {
				return false, err
			}
			score, best := 8*likeNames(asked, found), 23
			if len(found) == 0 {
				best = 7
			}
			if a.Size == s.Size && a.Owner.Mod.Alike(a.Owner.Section, 0, a.Size, s.Body, 0) {
				score += 4
			}
			if sameLimit(a.Owner.Attributes(), c.Out.AttributesOf(s.Index)) {
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
func (m *codeMatch) namesIn(c *Places, s *image.Section, f *image.Image, lists []link.Relocs) map[string]bool {
	names, known := m.named[s]
	if known {
		return names
	}
	names = map[string]bool{}
	for _, l := range lists {
		for _, r := range l.List {
			if int(r.Symbol) < len(f.Symbols) {
				names[c.withoutNumber(f.Symbols[r.Symbol].Name)] = true
			}
		}
	}
	m.named[s] = names
	return names
}

// sameLimit reports whether attributes of two pieces of code name the same limit of
// registers, which a link leaves as it is.
func sameLimit(a, b []image.Attribute) bool {
	limit := func(list []image.Attribute) string {
		for _, x := range list {
			if x.Attr == cuda.AttrMaxregCount {
				return string(x.Value)
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
func (c *Places) followRecords(m *codeMatch) error {
	for ; len(m.queue) > 0; m.queue = m.queue[1:] {
		a := m.queue[0]
		if len(m.areas) == 0 {
			continue
		}
		found := map[uint64]uint32{}
		for _, i := range c.Out.ListsOf[a.Out.Index] {
			for _, r := range c.Out.Lists[i].List {
				found[r.Offset] = r.Symbol
			}
		}
		for _, l := range a.Owner.RelocLists() {
			if err := c.Budget.Spend(a.Owner.Mod.Name, uint64(len(l.List))); err != nil {
				return err
			}
			for _, r := range l.List {
				id := a.Owner.Mod.Refs[r.Symbol].ID.First()
				if id == nil || !id.Local {
					continue
				}
				if a.Words == nil && c.Out.Side == image.SassSide {
					if err := c.mapWordsOf(a); err != nil {
						return err
					}
				}
				index, there := found[c.MovedTo(a, r.Offset)]
				if !there || int(index) >= len(c.Out.Symbols) {
					continue
				}
				s := &c.Out.Symbols[index]
				if c.withoutNumber(s.Name) != c.nameInOutput(id) || s.Special {
					continue
				}
				if !id.Function() {
					c.recordsTell(id, int(index))
					continue
				}
				if id.Code != nil && id.Code.Area != nil && id.Code.Area.Out == nil && c.Out.Areas[s.Shndx] == nil && link.IsCode(&c.Out.Sections[s.Shndx]) && c.Out.Sections[s.Shndx].Name == id.Code.Area.Name {
					c.takeCode(m, id.Code.Area, &c.Out.Sections[s.Shndx])
				}
			}
		}
	}
	return nil
}
