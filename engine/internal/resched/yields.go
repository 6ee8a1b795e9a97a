package resched

import "slices"

// Yield and reuse bits of code for sm_120 whose stalls changed. A word of fixed latency
// lets others go first where it stalls for more than two cycles, and where it stalls for
// two if nobody was let for ten; any other word where it stalls for twelve. What it reads stays at hand for the next word that reads
// it in the same place, if nobody goes first up to there: each place keeps one register with an even number and one
// with an odd, a pair takes both. What is read alone of a pair doesn't put it out. Halves keep theirs apart.
//
// Where that doesn't explain a bit of the input, the bit stays.
//
// Source: 400 functions of ptxas 13.0.88 and of nvlink 13.1.115; 15,003 bits that ptxas 13.5.37 set for sm_120, of
// which this gives all but 45, and 19 more.

// yieldAfter is how many cycles go by until a stall of two lets others go first.
const yieldAfter = 10

// banks is how many banks registers are in: each has what it keeps at hand for itself.
const banks = 2

// bits are the yield and reuse bits of a block.
type yieldBits struct {
	yields []bool // others go first: the bit is clear
	reuses []uint8
}

// letsGo reports whether the yield bit of a word follows from its stall.
func (w *word) letsGo() bool {
	return w.wr() == noBoard && w.rd() == noBoard && w.op()>>8&1 == 0 && !w.isShared() && !w.takesTurn() && !w.isProduct()
}

// letsGo is that of a word, of code where doubles have a fixed latency or none.
func (f *flow) letsGo(i int) bool {
	w := &f.words[i]
	return w.letsGo() || f.fixed && w.isDouble() && w.wr() == noBoard && w.rd() == noBoard || f.strange && !f.apart && w.isDouble() && f.isFresh(i)
}

// isVector reports whether a word is arithmetic of vector registers, but of doubles.
func (w *word) isVector() bool {
	_, ok := alu[w.op()&0xff]
	return ok && !w.isDouble() && w.op()>>8&1 == 0 && w.op()>>8 > 1
}

// inPlaces returns the registers that a word reads in each of three places, -1 for none.
func (f *flow) inPlaces(i int) [3]int {
	w := &f.words[i]
	is := [3]int{int(w.field(aField, 8)), -1, int(w.field(cField, 8))}
	if w.isMove() {
		is[0] = -1
	}
	switch w.op() >> 9 {
	case 1:
		is[1] = int(w.field(bField, 8))
	case 2, 3, 7:
		is[1], is[2] = is[2], -1
	}
	if s := alu[w.op()&0xff]; s.c == 0 {
		is[2] = -1
	}
	if kind := kindOf(w); kind == 0x21 || kind == 0x30 {
		is[1], is[2] = -1, is[1] // what these add comes where products have it
	}
	for k, r := range is {
		if r < 0 || !overlap([]span{{r, 1}}, f.ops[i].reads) {
			is[k] = -1
		}
	}
	return is
}

// bitsOf returns what the bits of a block are by the rules.
func (f *flow) bitsOf(bl *block) yieldBits {
	n := bl.to - bl.from
	y := yieldBits{make([]bool, n), make([]uint8, n)}
	for k := range n {
		w := &f.words[bl.from+k]
		y.yields[k] = w.hi>>yieldBit&1 == 0
		switch {
		case f.letsGo(bl.from + k):
			y.yields[k] = w.stall() > shortStall
		case w.op() == opNOP:
			y.yields[k] = w.stall() > shortStall || w.stall() == 0 || w.isFiller() && k > 0 && f.words[bl.from+k-1].stall() == maxStall
		default:
			y.yields[k] = w.stall() >= longStall
		}
	}
	since := 0
	for k := range n {
		w := &f.words[bl.from+k]
		if f.letsGo(bl.from+k) && w.stall() == shortStall && since >= yieldAfter {
			y.yields[k] = true
		}
		since += cycles(w)
		paused := f.isPaused(bl.from + k)
		if paused {
			y.yields[k] = false
		}
		if paused || y.yields[k] || w.op() == opENDCOLLECTIVE {
			since = 0
		}
	}
	for k := range n {
		y.reuses[k] = f.reusesOf(bl, k, &y, banks)
	}
	return y
}

// isPaused reports whether a word is a pause, or is before one.
func (f *flow) isPaused(i int) bool {
	return f.paused != nil && f.paused[i] || f.words[i].isPause() || i+1 < len(f.words) && f.words[i+1].isPause()
}

// reusesOf returns in which places what word k of a block reads stays at hand: of products for sm_120 the second factor alone.
func (f *flow) reusesOf(bl *block, k int, y *yieldBits, banks int) (places uint8) {
	i := bl.from + k
	if y.yields[k] || !f.keepsSources(&f.words[i]) {
		return 0
	}
	for place, r := range f.inPlaces(i) {
		if r < 0 || overlap([]span{{r, 1}}, f.ops[i].writes) || f.adds && place == 0 && f.words[i].isProduct() {
			continue
		}
		for j := i + 1; j < bl.to; j++ {
			if w := &f.words[j]; f.keepsSources(w) && w.pool() == f.words[i].pool() {
				if other := f.inPlaces(j)[place]; other >= 0 {
					both, otherBoth := f.readsPair(i, r), f.readsPair(j, other)
					isSame := other == r || otherBoth && other+1 == r
					if isSame && (otherBoth || !both) {
						places |= 1 << place
					}
					if isSame && !(both && !otherBoth) || !isSame && (other%banks == r%banks || both || otherBoth) {
						break
					}
				}
			}
			if y.yields[j-bl.from] || overlap([]span{{r, 1}}, f.ops[j].writes) {
				break
			}
		}
	}
	return places
}

// productPools begins the pools of products of halves, one for each shape.
const productPools = 3

// pool is which words keep what they read for each other: products of matrices, halves and all others.
func (w *word) pool() int {
	switch {
	case w.isIMMA():
		return 1
	case w.isProduct():
		return productPools + int(w.hi>>8&0xffff)
	case kindOf(w) == 0x30:
		return 2
	}
	return 0
}

// readsPair reports whether a word reads a register as the first of a pair.
func (f *flow) readsPair(i, r int) bool {
	return slices.ContainsFunc(f.ops[i].reads, func(s span) bool { return s.first == r && s.count == 2 })
}

// keepsSources reports whether what a word reads may stay at hand.
func (f *flow) keepsSources(w *word) bool {
	return w.isVector() || w.op() == opR2UR || f.filler.lets && w.isIMMA() || f.products && w.isProduct() && !((f.adds || f.apart) && w.isDMMA())
}

// setBits writes the bits that changed. With anew nothing explains the yield bits that arithmetic had.
func (f *flow) setBits(bl *block, was, is yieldBits, anew bool) {
	const all = 7
	for k := range is.yields {
		w := &f.words[bl.from+k]
		yielded := w.hi>>yieldBit&1 == 0
		paused := f.filler.lets && f.extra != nil && f.extra[bl.from+k] > 0 // in the input
		if w.isVector() && (anew || paused || w.stall() != shortStall) || was.yields[k] == yielded {
			w.setYield(!is.yields[k])
		}
		old := uint8(w.hi >> reuseShift & all)
		now := old&^(was.reuses[k]&^is.reuses[k]) | is.reuses[k]&^was.reuses[k]
		switch {
		case is.yields[k]:
			now = 0
		case yielded && w.hi>>yieldBit&1 != 0:
			now = is.reuses[k]
		}
		w.hi = w.hi&^(all<<reuseShift) | uint64(now)<<reuseShift
	}
}
