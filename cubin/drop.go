package cubin

import "github.com/twinlink/twinlink/cuda"

// Dropped is what went, by the numbers before.
type Dropped struct {
	Sections []int
	Symbols  map[int][]int // by symbol table
}

// Drop takes sections and symbols out, and with them what can't be without
// them: a section's relocations, the sections that its code owns, its capsule,
// the symbols in it; a symbol's relocation and .nv.info records, calls and
// prototypes. String tables keep all names. It is refused where something that
// stays needs what is removed; then nothing has changed. Layout must follow.
func (d *Editor) Drop(sections []int, symbols map[int][]int) (*Dropped, error) {
	gone := make([]bool, len(d.parts))
	for _, i := range sections {
		if _, err := d.part(i); err != nil {
			return nil, err
		}
		gone[i] = true
	}
	for tab := range symbols {
		if _, err := d.symbols(tab); err != nil {
			return nil, err
		}
	}
	d.dropDependents(gone)
	out := &Dropped{Symbols: map[int][]int{}}
	r := &renumbering{sections: closeGaps(gone), symbols: map[int][]int{}}
	budget := d.weight()
	for i := 1; i < len(gone); i++ {
		if gone[i] {
			out.Sections = append(out.Sections, i)
		} else if IsSymbols(d.parts[i].Type) {
			if err := d.spend(i, &budget); err != nil {
				return nil, err
			}
			lost, err := d.lostSymbols(i, gone, symbols[i])
			if err != nil {
				return nil, err
			}
			for k, is := range lost {
				if is {
					out.Symbols[i] = append(out.Symbols[i], k)
				}
			}
			if len(out.Symbols[i]) > 0 {
				r.symbols[i] = closeGaps(lost)
			}
		}
	}
	return out, d.renumber(r)
}

// closeGaps numbers what stays; 0 stays 0.
func closeGaps(gone []bool) []int {
	moved, next := make([]int, len(gone)), 1
	for i := 1; i < len(gone); i++ {
		if !gone[i] {
			moved[i] = next
			next++
		}
	}
	return moved
}

// dropDependents marks the sections that belong to marked ones.
func (d *Editor) dropDependents(gone []bool) {
	owned := make(map[uint32][]int)
	var queue []int
	for i := 1; i < len(d.parts); i++ {
		p := &d.parts[i]
		if d.infoKind(i) == infoSection && p.Type != cuda.SHTNote {
			owned[p.Info] = append(owned[p.Info], i)
		}
		if code, ok := d.capsuleCode(i); ok {
			owned[code] = append(owned[code], i)
		}
		if p.Type == cuda.SHTSymtabShndx {
			owned[p.Link] = append(owned[p.Link], i)
		}
		if gone[i] {
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, k := range owned[uint32(i)] {
			if !gone[k] {
				gone[k] = true
				queue = append(queue, k)
			}
		}
	}
}

// lostSymbols marks the symbols of a table that go.
func (d *Editor) lostSymbols(tab int, gone []bool, asked []int) ([]bool, error) {
	list, err := d.Symbols(tab)
	if err != nil {
		return nil, err
	}
	lost := make([]bool, len(list))
	for k := range list {
		if n, ok := list[k].Section(); ok && int64(n) < int64(len(gone)) && k > 0 {
			lost[k] = gone[n]
		}
	}
	for _, k := range asked {
		if k < 1 || k >= len(lost) {
			return nil, d.src.fault(BadIndex, d.SectionName(tab), 0, uint64(k), "no such symbol")
		}
		lost[k] = true
	}
	return lost, nil
}
