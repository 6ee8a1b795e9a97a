package link

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// FunctionsNamedIn says which function's address is where in a section.
func (m *Module) FunctionsNamedIn(section int) map[uint64]*Identity {
	names := map[uint64]*Identity{}
	for _, i := range m.RelocsOf[section] {
		for _, r := range m.Relocs[i].List {
			if id := m.Refs[r.Symbol].ID; id != nil && r.Kind == cuda.R_CUDA_64 {
				names[r.Offset] = id.First()
			}
		}
	}
	return names
}

// Alike compares bytes of an input's section with those of the output, but for
// the places that a relocation may write.
func (m *Module) Alike(s *image.Section, from, size uint64, body []byte, at uint64) bool {
	want, ok := image.Cut(s.Body, from, size)
	got, okToo := image.Cut(body, at, size)
	if !ok || !okToo {
		return false
	}
	holes := m.HolesOf(s.Index)
	i, _ := slices.BinarySearchFunc(holes, from, func(h Span, f uint64) int { return cmp.Compare(h.To, f) })
	next := uint64(0)
	for ; i < len(holes) && holes[i].From < from+size; i++ {
		h := Span{max(holes[i].From, from) - from, min(holes[i].To, from+size) - from}
		if h.From > next && !bytes.Equal(want[next:h.From], got[next:h.From]) {
			return false
		}
		next = max(next, h.To)
	}
	return next >= size || bytes.Equal(want[next:], got[next:])
}

// HolesOf are the places of a section that relocations may write, ascending.
func (m *Module) HolesOf(index int) []Span {
	if m.Holes == nil {
		m.Holes = map[int][]Span{}
		for _, list := range m.Relocs {
			for _, r := range list.List {
				if image.IsFunctionSize(r.Kind) && m.staysSized(r) {
					continue
				}
				width := uint64(16)
				if image.IsFunctionSize(r.Kind) {
					width = image.WidthOfSize(r.Kind)
				} else if recipe, err := oracle.RecipeOf(r.Kind); err == nil {
					width = uint64(recipe.Bytes())
				}
				m.Holes[list.Target] = append(m.Holes[list.Target], Span{r.Offset, r.Offset + width})
			}
		}
		for i := range m.Holes {
			slices.SortFunc(m.Holes[i], func(x, y Span) int { return cmp.Compare(x.From, y.From) })
		}
	}
	return m.Holes[index]
}

// staysSized reports whether a record for the size of a function is about code that
// is there, so that nothing is written. Of several definitions that are alike that of
// another input may be the one.
func (m *Module) staysSized(r image.Record) bool {
	if int(r.Symbol) >= len(m.Refs) || m.Symbols[r.Symbol].Special {
		return false
	}
	id, code := m.Refs[r.Symbol].ID, m.Bodies[m.Symbols[r.Symbol].Shndx]
	return id != nil && code != nil && !id.Several && !id.Duplicate && code.Disposition == Won && id.Code == code && code.Live
}

// DefinesAsWell reports whether a module has one of several definitions of a symbol.
func (m *Module) DefinesAsWell(symbol uint32) bool {
	id := m.Refs[symbol].ID
	return m.Symbols[symbol].Defined() && id != nil && id.Several
}

// CompiledForDebugger reports whether a module has the tables that ptxas -g writes.
func (m *Module) CompiledForDebugger() bool {
	return slices.ContainsFunc(m.Sections, func(s image.Section) bool { return s.Name == ".nv_debug_info_reg_sass" })
}
