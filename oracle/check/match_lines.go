package check

import "slices"

// Static functions of one name and of equal code are told apart by their lines, where they
// have some.

// linesLike reports whether code of an input and of the output has the same lines.
func (c *check) linesLike(m *codeMatch, a *area, s *section) bool {
	if c.out.side == mercurySide {
		return true
	}
	if m.lines == nil {
		m.lines = map[*image]map[int]string{}
	}
	mod := a.owner.mod
	return m.linesOf(mod.image, mod.relocs)[a.owner.section.index] == m.linesOf(c.out.image, c.out.lists)[s.index]
}

// linesOf are the sequences of each piece of code in the tables of lines of a file.
func (m *codeMatch) linesOf(f *image, lists []relocs) map[int]string {
	if found, known := m.lines[f]; known {
		return found
	}
	found := map[int]string{}
	m.lines[f] = found
	for _, l := range lists {
		table := &f.sections[l.target]
		if table.name != ".nv_debug_line_sass" && table.name != ".debug_line" {
			continue
		}
		code := map[uint64]int{}
		var places []uint64
		for _, r := range l.list {
			if int(r.symbol) < len(f.symbols) && !f.symbols[r.symbol].special {
				code[r.offset] = f.symbols[r.symbol].shndx
				places = append(places, r.offset)
			}
		}
		slices.Sort(places)
		size, unit := uint64(len(table.body)), uint64(0) // unit: where the one ends in which a place lies
		for i, at := range places {
			for unit <= at && unit < size {
				unit += 4 + number(table.body, unit, 4)
			}
			end := min(unit, size)
			if i+1 < len(places) {
				end = min(end, places[i+1])
			}
			text, _ := cut(table.body, at+8, max(end, at+8)-at-8)
			found[code[at]] += string(text)
		}
	}
	return found
}
