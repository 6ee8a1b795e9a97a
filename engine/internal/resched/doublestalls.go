package resched

// Stalls beside doubles of sm_100 that got scoreboards. A word that the next one waits for
// stalls for two cycles at least; the words of its block are set apart again then, and doubles
// keep the latencies that they had.
//
// Source: the least distances in code for sm_100 by ptxas 13.0.88; functions of real programs
// through nvlink 13.5.37.

// Cycles from a double until others may read its result, and until one may read theirs.
const (
	doubleToDouble  = 8
	doubleToMemory  = 7
	doubleToConvert = 6
	doubleToOther   = 10
	toDouble        = 6
	doubleUntilEnd  = 11
	doubleTakes     = 2 // until the next one

	comparisonAsGuard = 14
	comparisonAsInput = 6
)

// isFresh reports whether a word holds a scoreboard that the input hasn't.
func (f *flow) isFresh(i int) bool {
	for _, t := range f.first[i] {
		if f.tokens[t].fresh {
			return true
		}
	}
	return false
}

// ofDouble is how many cycles are between a double that had a fixed latency, or what it reads, and a
// word after it; false where that isn't known.
func (w *word) ofDouble(next *word, h hazard) (cycles int, known bool) {
	isResult := h != hazardUnit && h != hazardNext && h != hazardOver
	switch {
	case !isResult:
		return 0, false
	case w.isDouble() && h == hazardGuard:
		return comparisonAsGuard, true
	case w.isDouble() && h == hazardPredicate:
		return comparisonAsInput, true
	case w.isDouble() && next.isDouble():
		return doubleToDouble, true
	case w.isDouble() && next.isShared():
		return doubleToMemory, true
	case w.isDouble() && next.isPaced():
		return doubleToConvert, true
	case w.isDouble():
		return doubleToOther, true
	case next.isDouble() && w.isVector() && h%hazardOperand < hazardGuard:
		return toDouble, true
	}
	return 0, false
}

// crowdsDoubles reports whether a double of a block that got scoreboards must stall for longer since the
// next word waits for them.
func (a *allocator) crowdsDoubles(b int) bool {
	bl := &a.blocks[b]
	for i := bl.from; a.method == allAnew && i+1 < bl.to; i++ {
		if w := &a.words[i]; w.inUnit() && w.stall() < apart && w.isWaitedFor(&a.words[i+1]) && a.isFresh(i) {
			return true
		}
	}
	return false
}

// isLate reports whether a word of the block is a double that got scoreboards and keeps its latency.
func (p *spacing) isLate(i int) bool { return p.heldDoubles && p.words[i].inUnit() && p.isFresh(i) }

// doubleChanges is what setBlockApart is told of code whose doubles got scoreboards.
func (a *allocator) doubleChanges() *changes {
	c := *a.same
	c.heldDoubles = true
	if a.live == nil {
		a.findLive()
	}
	return &c
}
