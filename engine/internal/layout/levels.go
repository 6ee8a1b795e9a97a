package layout

import (
	"math/bits"

	"github.com/twinlink/twinlink/engine/internal/reach"
)

// levels is a number for each kernel, kept once for each run of kernels that have
// the same.
type levels struct {
	n      int
	starts []uint64 // a bit for each kernel with which a run begins
	level  []int32  // by the kernel that a run begins with
}

func newLevels(n int) *levels {
	l := &levels{n: n, starts: make([]uint64, n/64+1), level: make([]int32, n+1)}
	l.starts[0] = 1
	return l
}

// runOf returns the begin of the run that k is in.
func (l *levels) runOf(k int) int {
	w := l.starts[k/64] & (^uint64(0) >> (63 - k%64))
	for k /= 64; w == 0; w = l.starts[k] {
		k--
	}
	return k*64 + 63 - bits.LeadingZeros64(w)
}

// next returns the begin of the run after that of k, n for none.
func (l *levels) next(k int) int {
	k++
	w := uint64(0)
	if k/64 < len(l.starts) {
		w = l.starts[k/64] >> (k % 64) << (k % 64)
	}
	for k /= 64; w == 0; w = l.starts[k] {
		if k++; k >= len(l.starts) {
			return l.n
		}
	}
	return min(k*64+bits.TrailingZeros64(w), l.n)
}

// split makes a run begin with k.
func (l *levels) split(k int) {
	if k < l.n && l.starts[k/64]>>(k%64)&1 == 0 {
		l.level[k] = l.level[l.runOf(k)]
		l.starts[k/64] |= 1 << (k % 64)
	}
}

// join makes the run that begins with k a part of the one before, where they agree.
func (l *levels) join(k int) {
	if k > 0 && k < l.n && l.starts[k/64]>>(k%64)&1 != 0 && l.level[l.runOf(k-1)] == l.level[k] {
		l.starts[k/64] &^= 1 << (k % 64)
	}
}

// highest returns the highest number of some kernels, 0 for none.
func (l *levels) highest(users reach.Kernels) int {
	most := int32(0)
	for _, r := range users {
		for k := l.runOf(int(r.From)); k < int(r.To); k = l.next(k) {
			most = max(most, l.level[k])
		}
	}
	return int(most)
}

// raise gives kernels the number of the first class that they don't use.
func (l *levels) raise(users reach.Kernels, list []*class) {
	for _, r := range users {
		from, to := int(r.From), int(r.To)
		l.split(from)
		l.split(to)
		for k := from; k < to; k = l.next(k) {
			for int(l.level[k]) < len(list) {
				missing := list[l.level[k]].missing(k, l.next(k))
				if missing == k {
					break
				}
				l.split(missing)
				l.level[k]++
			}
			l.join(k)
		}
		l.join(to)
	}
}
