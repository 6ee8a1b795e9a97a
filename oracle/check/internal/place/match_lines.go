package place

import (
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Static functions of one name and of equal code are distinguished by their lines, where they
// have some.

// linesLike reports whether code of an input and of the output has the same lines.
func (c *Places) linesLike(m *codeMatch, a *link.Area, s *image.Section) bool {
	if c.Out.Side == image.MercurySide {
		return true
	}
	if m.lines == nil {
		m.lines = map[*image.Image]map[int]string{}
	}
	mod := a.Owner.Mod
	return m.linesOf(mod.Image, mod.Relocs)[a.Owner.Section.Index] == m.linesOf(c.Out.Image, c.Out.Lists)[s.Index]
}

// linesOf are the sequences of each piece of code in the tables of lines of a file.
func (m *codeMatch) linesOf(f *image.Image, lists []link.Relocs) map[int]string {
	if found, known := m.lines[f]; known {
		return found
	}
	found := map[int]string{}
	m.lines[f] = found
	for _, l := range lists {
		table := &f.Sections[l.Target]
		if table.Name != ".nv_debug_line_sass" && table.Name != ".debug_line" {
			continue
		}
		code := map[uint64]int{}
		var places []uint64
		for _, r := range l.List {
			if int(r.Symbol) < len(f.Symbols) && !f.Symbols[r.Symbol].Special {
				code[r.Offset] = f.Symbols[r.Symbol].Shndx
				places = append(places, r.Offset)
			}
		}
		slices.Sort(places)
		size, unit := uint64(len(table.Body)), uint64(0) // unit: where the one ends in which a place lies
		for i, at := range places {
			for unit <= at && unit < size {
				unit += 4 + image.Number(table.Body, unit, 4)
			}
			end := min(unit, size)
			if i+1 < len(places) {
				end = min(end, places[i+1])
			}
			text, _ := image.Cut(table.Body, at+8, max(end, at+8)-at-8)
			found[code[at]] += string(text)
		}
	}
	return found
}
