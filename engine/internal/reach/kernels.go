package reach

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Kernels is a set of kernels by their numbers in a list: runs of numbers, ascending
// and apart. Along a chain of functions, each with a kernel, every function has
// another set; as runs each of them is short.
type Kernels []Run

// Run are the numbers from From on, below To.
type Run struct{ From, To int32 }

// Only returns the kernel of a set of one.
func (s Kernels) Only() (k int, ok bool) {
	if len(s) != 1 || s[0].To-s[0].From != 1 {
		return 0, false
	}
	return int(s[0].From), true
}

// All yields the kernels, ascending.
func (s Kernels) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, r := range s {
			for k := r.From; k < r.To; k++ {
				if !yield(int(k)) {
					return
				}
			}
		}
	}
}

// same reports whether two sets are one in memory.
func (s Kernels) same(other Kernels) bool {
	return len(s) == len(other) && (len(s) == 0 || &s[0] == &other[0])
}

// hash returns a number that equal sets have in common (FNV-1a, by runs).
func (s Kernels) hash() uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, r := range s {
		h = (h ^ uint64(uint32(r.From))<<32 ^ uint64(uint32(r.To))) * 0x100000001b3
	}
	return h
}

// Union returns what is in any of some sets: one of them, where that has it all.
func Union(sets ...Kernels) Kernels {
	var largest Kernels
	var runs Kernels
	for i, s := range sets {
		if len(s) == 0 || i > 0 && s.same(sets[i-1]) || s.same(largest) {
			continue
		}
		if len(s) > len(largest) {
			largest = s
		}
		runs = append(runs, s...)
	}
	if len(runs) == len(largest) {
		return largest
	}
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.From, b.From) })
	all := runs[:1]
	for _, r := range runs[1:] {
		if last := &all[len(all)-1]; r.From <= last.To {
			last.To = max(last.To, r.To)
		} else {
			all = append(all, r)
		}
	}
	for _, s := range sets {
		if slices.Equal(s, all) {
			return s // not another of the same
		}
	}
	return slices.Clone(all)
}

// intersect returns what is in both of two sets.
func intersect(a, b Kernels) Kernels {
	var both Kernels
	for len(a) > 0 && len(b) > 0 {
		if from, to := max(a[0].From, b[0].From), min(a[0].To, b[0].To); from < to {
			both = append(both, Run{from, to})
		}
		if a[0].To < b[0].To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// without returns what is in a set but for one kernel.
func without(set Kernels, k int32) Kernels {
	return Union(intersect(set, Kernels{{0, k}}), intersect(set, Kernels{{k + 1, math.MaxInt32}}))
}
