package resched

import (
	"math/bits"
	"slices"
)

// The control flow of a kernel.

// block is a run of instructions that is entered at its start alone.
type block struct {
	from, to int   // words
	next     []int // blocks
}

// endsBlock reports whether control may go elsewhere after an instruction, or stops there for a
// debugger or a counter.
func (w *word) endsBlock() bool {
	switch w.op() {
	case opBRA, opBRAUnif, opEXIT, opBSYNC, opRET, opBRX, opBRXU, opBPT, opPMTRIG:
		return true
	}
	return w.isCall()
}

// fallsThrough reports whether control may go on after an instruction that
// ends a block. BSYNC goes on at the next word, to which its BSSY points.
func (w *word) fallsThrough() bool {
	const (
		always    = 7
		plainBits = 0xe0 // bits 82 to 104 of a branch without conditions of its own
	)
	if w.guard() != always || w.isCall() {
		return true
	}
	switch w.op() {
	case opBRA:
		// A branch with a predicate of its own, and BRA.DIV.
		return w.field(82, 23) != plainBits || w.field(24, 8) != 0 && w.field(24, 8) != zero
	case opBRAUnif, opBSYNC, opBPT, opPMTRIG:
		return true
	}
	return false
}

// blocks divides the code, each call in a block of its own; a LEPC begins one. Source: 13.0.88 with -g, whose 280
// functions that call come out the same this way, and releases from 13.1 on.
func blocks(words []word) []block { return blocksBy(words, nil, false) }

// blocksBy is blocks, told where branches by a register go. apart says that what lanes do together is a
// block of its own, as in rescheduled code.
func blocksBy(words []word, jumps Jumps, apart bool) []block {
	n := len(words)
	starts := make([]bool, n+1)
	for i := range words {
		starts[i] = words[i].isCall() || words[i].op() == opLEPC
	}
	starts[0] = true
	jumps.markStarts(starts)
	targets := make([]int, n) // where a branch may go, and 1
	for i := range words {
		w := &words[i]
		if t, ok := w.branchTarget(i); ok && t >= 0 && t < n && !w.isCollective() && !w.isIndexed() {
			starts[t] = starts[t] || w.op() != opWARPSYNC && w.op() != opWARPSYNCReg
			if w.op() != opBSSY {
				targets[i] = t + 1
			}
		}
		if w.endsBlock() {
			starts[i+1] = true
		}
		if apart && (w.isCollective() || w.op() == opENDCOLLECTIVE) {
			starts[i+1] = true
		}
	}
	var list []block
	at := make([]int, n)
	for i := 0; i < n; {
		j := i + 1
		for j < n && !starts[j] {
			j++
		}
		for k := i; k < j; k++ {
			at[k] = len(list)
		}
		list = append(list, block{from: i, to: j})
		i = j
	}
	for b := range list {
		last := list[b].to - 1
		w := &words[last]
		if t := targets[last]; t > 0 {
			list[b].next = append(list[b].next, at[t-1])
		}
		if (!w.endsBlock() || w.fallsThrough()) && b+1 < len(list) {
			list[b].next = append(list[b].next, b+1)
		}
	}
	for b := range list {
		for _, t := range jumps[list[b].to-1] {
			if t >= 0 && t < n && !slices.Contains(list[b].next, at[t]) {
				list[b].next = append(list[b].next, at[t])
			}
		}
	}
	indexed(words, list, jumps)
	return list
}

// indexed lets other branches by a register go to every block that control can't fall
// into.
func indexed(words []word, list []block, jumps Jumps) {
	var targets []int
	for b := 1; b < len(list); b++ {
		if w := &words[list[b].from-1]; w.endsBlock() && !w.fallsThrough() && words[list[b].from].op() != opNOP {
			targets = append(targets, b)
		}
	}
	for b := range list {
		if last := list[b].to - 1; words[last].isIndexed() && len(jumps[last]) == 0 {
			list[b].next = append(list[b].next, targets...)
		}
	}
}

// bitset is a set of tokens.
type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) drop(i int)     { b[i/64] &^= 1 << (i % 64) }
func (b bitset) clone() bitset  { return append(bitset(nil), b...) }
func (b bitset) join(o bitset) (changed bool) {
	for i := range b {
		if o[i]&^b[i] != 0 {
			b[i] |= o[i]
			changed = true
		}
	}
	return changed
}

// each calls f for the members in order.
func (b bitset) each(f func(t int)) {
	for k, x := range b {
		for ; x != 0; x &= x - 1 {
			f(k*64 + bits.TrailingZeros64(x))
		}
	}
}
