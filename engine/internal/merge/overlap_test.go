package merge

import "testing"

// What nvlink 11.8.89, 12.4.131, 13.0.88 and 13.5.37 say of two functions with tables of so many entries, whose bytes
// are all zero but for one of the second's.
func TestOverlapOf(t *testing.T) {
	const spans, differs = "overlapping data spans too much", "overlapping non-identical data"
	tables := func(lengths []uint64) (list []span, size uint64) {
		for _, n := range lengths {
			list = append(list, span{size, size + 4*n})
			size += 4 * n
		}
		return list, size
	}
	for _, c := range []struct {
		first, second []uint64
		other         int // byte of the second's that isn't zero; -1: none
		want          string
	}{
		{[]uint64{10, 3}, []uint64{3, 10}, -1, spans},
		{[]uint64{10, 3}, []uint64{3, 10}, 14, spans},
		{[]uint64{10, 3}, []uint64{3, 10}, 4, differs},
		{[]uint64{10, 3}, []uint64{10, 4}, -1, ""},
		{[]uint64{10, 3}, []uint64{13}, -1, ""},
		{[]uint64{10, 3}, []uint64{5, 8}, -1, spans},
		{[]uint64{13}, []uint64{10, 3}, -1, ""},
		{[]uint64{8}, []uint64{9}, -1, ""},
		{[]uint64{8}, []uint64{9}, 33, ""},
		{[]uint64{8}, []uint64{4, 4}, 20, differs},
		{[]uint64{8, 4}, []uint64{9}, -1, spans},
		{[]uint64{8, 4}, []uint64{9}, 20, differs},
		{[]uint64{8, 4}, []uint64{9}, 34, spans},
		{[]uint64{8, 4}, []uint64{14}, -1, spans},
		{[]uint64{8, 4, 4}, []uint64{8, 8}, -1, ""},
		{[]uint64{4, 4}, []uint64{8}, 20, differs},
		{[]uint64{4, 4, 4}, []uint64{12}, -1, spans},
		{[]uint64{4}, []uint64{2, 4}, -1, spans},
		{[]uint64{4, 2}, []uint64{4, 6}, -1, ""},
	} {
		first, size := tables(c.first)
		second, length := tables(c.second)
		have, content := make([]byte, size), make([]byte, length)
		if c.other >= 0 {
			content[c.other] = 1
		}
		got := ""
		for _, p := range second {
			if got = overlapOf(p, first, content, have); got != "" {
				break
			}
		}
		if got != c.want {
			t.Errorf("%v over %v, byte %d: %q, want %q", c.second, c.first, c.other, got, c.want)
		}
	}
}
