package relayout

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// variable is an object in a section, with all symbols that it has.
type variable struct {
	symbols   [][]byte
	at, size  uint64
	to, align uint64
}

// moveVariables gives the variables of global memory other places, in another order and with gaps. Code has their
// addresses by records, so nothing else knows them but records of pointers in their bytes.
func (f *file) moveVariables() {
	for _, s := range f.sections {
		if !strings.HasPrefix(s.name, ".nv.global") {
			continue
		}
		both := f.bothSides(s)
		list, ok := f.variablesIn(both, s)
		if !ok || len(list) == 0 || f.namedAsWhole(both) {
			continue
		}
		f.scatter(both, s, list)
	}
}

// scatter puts variables into another order, with gaps.
func (f *file) scatter(both []int, s *section, list []variable) {
	f.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	end := uint64(0)
	for k := range list {
		v := &list[k]
		v.to = (end + v.align*f.r.Uint64N(3) + v.align - 1) / v.align * v.align
		end = v.to + v.size
	}
	f.move(both, s, list, end)
}

// bothSides are the numbers of a section and of the Mercury side's of that name.
func (f *file) bothSides(s *section) (list []int) {
	for i, x := range f.sections {
		if x == s || x.name == ".nv.merc"+s.name {
			list = append(list, i)
		}
	}
	return list
}

// variablesIn are those in a section; not ok: one is on another.
func (f *file) variablesIn(both []int, s *section) (list []variable, ok bool) {
	known := map[uint64]int{}
	for _, t := range f.symtabs {
		for y := range slices.Chunk(t.body, symbolSize) {
			if y[4]%16 == byte(cuda.STTSection) || !slices.Contains(both, sectionOf(y)) {
				continue
			}
			at, size := little.Uint64(y[8:]), little.Uint64(y[16:])
			k, seen := known[at]
			if !seen {
				k = len(list)
				known[at] = k
				list = append(list, variable{at: at, size: size, align: max(min(s.align, at&-at), 1)})
				if at == 0 {
					list[k].align = max(s.align, 1)
				}
			}
			if list[k].size != size || at > s.size || size > s.size-at {
				return nil, false
			}
			list[k].symbols = append(list[k].symbols, y)
		}
	}
	slices.SortFunc(list, func(a, b variable) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(list); i++ {
		if list[i-1].at+list[i-1].size > list[i].at {
			return nil, false
		}
	}
	return list, true
}

// namedAsWhole reports whether a record is against a section's own symbol.
func (f *file) namedAsWhole(both []int) (found bool) {
	for _, s := range f.sections {
		if _, ok := s.records(); !ok {
			continue
		}
		f.eachSymbol(s, func(t *section, at []byte) {
			if i := int(little.Uint32(at)); symbolSize*(i+1) <= len(t.body) {
				y := t.body[symbolSize*i:]
				found = found || y[4]%16 == byte(cuda.STTSection) && slices.Contains(both, sectionOf(y))
			}
		})
	}
	return found
}

// move gives variables their new places.
func (f *file) move(both []int, s *section, list []variable, size uint64) {
	old := bytes.Clone(s.body)
	if s.body != nil {
		s.body = make([]byte, size)
	}
	for _, i := range both {
		f.sections[i].size = size
	}
	moved := func(at uint64) (uint64, bool) {
		for i := range list {
			if v := &list[i]; v.at <= at && at < v.at+v.size {
				return at - v.at + v.to, true
			}
		}
		return 0, false // of nobody's bytes, which are gone
	}
	for i := range list {
		v := &list[i]
		for _, y := range v.symbols {
			little.PutUint64(y[8:], v.to)
		}
		if s.body != nil {
			copy(s.body[v.to:v.to+v.size], old[v.at:])
		}
	}
	for _, t := range f.sections {
		width, ok := t.records()
		if !ok || !slices.Contains(both, int(t.info)) {
			continue
		}
		var left []byte
		for r := range slices.Chunk(t.body, width) {
			if to, ok := moved(little.Uint64(r)); ok {
				left = append(little.AppendUint64(left, to), r[8:]...)
			}
		}
		t.body, t.size = left, uint64(len(left))
	}
}

// Constants writes a file whose constants for the programmer, bank 3, lie elsewhere in it. The code still has the old places:
// to says where each of those is now, and is empty where no constant was moved.
func Constants(data []byte, seed uint64) (other []byte, to map[uint64]uint64, err error) {
	f, err := open(data, seed)
	if err != nil {
		return nil, nil, err
	}
	to = map[uint64]uint64{}
	for _, s := range f.sections {
		if s.name != ".nv.constant3" {
			continue
		}
		both := f.bothSides(s)
		list, ok := f.variablesIn(both, s)
		if !ok || f.namedAsWhole(both) {
			continue
		}
		f.scatter(both, s, list)
		for i := range list {
			to[list[i].at] = list[i].to
		}
	}
	f.renumber(f.sameNumbers())
	return f.write(false, false), to, nil
}
