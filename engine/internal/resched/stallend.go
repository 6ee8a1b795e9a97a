package resched

// What asks for the stall of a block's last word.

// Latencies where a block ends: stalls, and cycles from an instruction of fixed latency until its result
// may be read after the end.
const (
	afterBAR       = 6  // stall of a BAR.SYNC
	leastBranch    = 5  // stall of an instruction that ends a block
	endRegister    = 7  // until a register may be read
	endVote        = 12 // the same of VOTE
	endPredicates  = 7  // and of P2R
	endPredicate   = 13 // the same of a predicate
	endUniform     = 12 // of a uniform register
	endUniformMove = 5  // of one that is moved to
	endCombination = 11 // of what UPLOP3 makes
	endComparison  = 14 // of what UISETP makes
)

const kindBAR = 0x11d

// endLatency is how many cycles after an instruction of fixed latency its block may
// end.
func (w *word) endLatency(writes []span) int {
	l := endRegister
	switch w.op() {
	case opVOTE:
		l = endVote
	case opP2R:
		l = endPredicates
	case opHMMA:
		return halfToHalf
	}
	for _, r := range writes {
		switch {
		case r.first >= uniformFile && kindOf(w) == 0x8c:
			l = max(l, endComparison)
		case r.first >= uniformFile && kindOf(w) == 0x9c:
			l = max(l, endCombination)
		case r.first >= predFile:
			l = max(l, endPredicate)
		case r.first >= uniformFile && w.isUniformMove():
			return endUniformMove
		case r.first >= uniformFile:
			l = max(l, endUniform)
		}
	}
	return l
}

// isArithmetic reports whether an instruction is one of the units of arithmetic, of vector or
// uniform registers, but of doubles.
func (w *word) isArithmetic() bool { return w.isVector() || kindOf(w) >= 0x80 && kindOf(w) < 0xc0 }

// stallAtEnd returns the stall of a block's last word.
func (f *flow) stallAtEnd(bl *block, was, is []int) int {
	n := bl.to - bl.from
	last := &f.words[bl.to-1]
	s, least := f.spends(bl.to-1), 1
	switch {
	case last.endsBlock():
		least = leastBranch
	case kindOf(last) == kindBAR:
		least = afterBAR
	case last.inUnit() || last.wr() != noBoard || last.rd() != noBoard:
		least = shortStall // until a wait sees its scoreboards
	}
	if last.op() == opEXIT && !last.fallsThrough() || last.stall() == 0 {
		return s
	}
	double := false
	for i := bl.from; i < bl.to; i++ {
		double = double || f.words[i].inUnit() && len(f.ops[i].writes) > 0 && f.words[i].wr() == noBoard && was[n]-was[i-bl.from] <= f.words[i].latest()
	}
	stall := f.asksAtEnd(bl, was, is, least)
	if !hasProduct(f.words[bl.from:bl.to]) {
		stall = min(stall, maxStall)
	}
	if double || s == f.asksAtEnd(bl, was, was, least) {
		return stall
	}
	return max(s, stall) // what is closer together than it was keeps its distance all the same
}

// asksAtEnd returns the stall of a block's last word that results of fixed latencies ask
// for which live on, least at the least, where words start at those times.
func (f *flow) asksAtEnd(bl *block, was, at []int, least int) int {
	n := bl.to - bl.from
	stall := least
	complete := f.isPad(bl.to) && !f.words[bl.to-1].endsBlock()
	for i := bl.from; i < bl.to; i++ {
		w, writes := &f.words[i], f.ops[i].writes
		if w.wr() != noBoard || w.inUnit() || !f.livesOn(bl, writes) && (!complete || len(writes) == 0) {
			continue
		}
		stall = max(stall, at[i-bl.from]+min(w.endLatency(writes), was[n]-was[i-bl.from])-at[n-1])
	}
	return stall
}
