package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// Fact is an attribute of .nv.info in a form in which two files can be compared: with the names of
// what its symbol numbers stand for.
type Fact struct {
	Format   cuda.InfoFormat
	Attr     cuda.InfoAttr
	Optional bool   // may be missing
	Least    bool   // a larger number is right as well
	Anything bool   // any value is right
	Most     uint64 // but for a larger number than this; 0: no such
	About    string // what its symbol index stands for; for lists all of them
	Key      Ref
	Rest     string // the other bytes
	File     string
	Also     []string // other values of rest (of about, for a list) that are right as well
}

// Is reports whether another fact says what this one wants.
func (f Fact) Is(g Fact) bool {
	if f.Most > 0 && image.Number([]byte(g.Rest), 0, uint64(min(len(g.Rest), 8))) > f.Most {
		return false
	}
	if f.Anything {
		return true
	}
	if f.Format != g.Format {
		return false
	}
	if f.Least && !image.ListsSymbols(f.Attr) && f.About == g.About && len(f.Rest) == len(g.Rest) && len(g.Rest) <= 8 {
		width := uint64(len(f.Rest))
		return image.Number([]byte(g.Rest), 0, width) >= image.Number([]byte(f.Rest), 0, width) || slices.Contains(f.Also, g.Rest)
	}
	if image.ListsSymbols(f.Attr) {
		return f.About == g.About || slices.Contains(f.Also, g.About) || f.Least && hasAll(g.About, f.About)
	}
	if f.Attr == cuda.AttrAtEntryFragements {
		f, g = f.sorted(), g.sorted()
	}
	return f.About == g.About && (f.Rest == g.Rest || slices.Contains(f.Also, g.Rest))
}

// sorted has the words of its values in order, where a list of words stands for a set.
func (f Fact) sorted() Fact {
	f.Rest, f.Also = sortedWords(f.Rest), slices.Clone(f.Also)
	for i := range f.Also {
		f.Also[i] = sortedWords(f.Also[i])
	}
	return f
}

// sortedWords sorts the words of four bytes of a list.
func sortedWords(list string) string {
	if len(list)%4 != 0 {
		return list
	}
	var words []string
	for at := 0; at < len(list); at += 4 {
		words = append(words, list[at:at+4])
	}
	slices.Sort(words)
	return strings.Join(words, "")
}

// hasAll reports whether a list of names has all of another.
func hasAll(list, of string) bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[name] = true
	}
	for name := range strings.FieldsSeq(of) {
		if !names[name] {
			return false
		}
	}
	return true
}

// Value prints what a fact says.
func (f Fact) Value() string {
	if f.Attr == cuda.AttrExterns {
		return f.About
	}
	return fmt.Sprintf("%x", f.Rest)
}

// Apart prints what two facts that differ say: of lists the names that one alone has.
func (f Fact) Apart(g Fact) (string, string) {
	if !image.ListsSymbols(f.Attr) || f.Format != g.Format {
		return f.Value(), g.Value()
	}
	want, got := lacking(g.About, f.About), lacking(f.About, g.About)
	if want == "" && got == "" { // a name occurs twice
		return f.Value(), g.Value()
	}
	return want, got
}

// lacking are the names of a list that another lacks.
func lacking(of, list string) string {
	var names []string
	for name := range strings.FieldsSeq(list) {
		if !hasAll(of, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// OutRef is what a symbol index of the output stands for.
func (c *Link) OutRef(index uint32) Ref {
	if int(index) >= len(c.Out.Refs) {
		return Ref{}
	}
	return c.Out.Refs[index]
}

// Before gives references an order: by name, and by first mention among equal
// names.
func (r Ref) Before(o Ref) bool {
	if x, y := r.String(), o.String(); x != y {
		return x < y
	}
	return r.ID != nil && o.ID != nil && r.ID.Order < o.ID.Order
}

// String names what a symbol index stands for.
func (r Ref) String() string {
	switch {
	case r.ID != nil:
		return r.ID.Name
	case r.Area != nil:
		return r.Area.Name
	}
	return "no symbol"
}

// @ group const
const SecondNameMask = 0x8000

// factsOf indexes the module's .nv.info: for each function the first number
// that an attribute gives.
func (m *Module) factsOf(attr cuda.InfoAttr) map[*Identity]uint32 {
	if m.facts == nil {
		m.facts = map[cuda.InfoAttr]map[*Identity]uint32{}
		for _, i := range m.infoSections {
			if m.Sections[i].Info != 0 {
				continue
			}
			for _, a := range m.Infos[i] {
				if len(a.Value) < 8 || int(image.Word(a.Value, 0)) >= len(m.Refs) {
					continue
				}
				id := m.Refs[image.Word(a.Value, 0)].ID
				if id == nil {
					continue
				}
				if m.facts[a.Attr] == nil {
					m.facts[a.Attr] = map[*Identity]uint32{}
				}
				if _, twice := m.facts[a.Attr][id]; !twice {
					m.facts[a.Attr][id] = image.Word(a.Value, 4)
				}
			}
		}
	}
	return m.facts[attr]
}

// RefOf is what a symbol index of an input stands for in the output.
func (c *Link) RefOf(m *Module, index uint32) Ref {
	r := m.Refs[index]
	r.ID = r.ID.Meant()
	if s := &m.Symbols[index]; r.ID == nil && s.Kind() == cuda.STTSection && !s.Special {
		r.Area = m.Places[s.Shndx].Area
	}
	return r
}

type CounterpartFact struct {
	Kernel string
	Attr   cuda.InfoAttr
}
