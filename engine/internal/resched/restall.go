package resched

// Stalls of a block whose doubles have no fixed latency any more. ptxas stalls as
// late and as little as it can: the word in front of a consumer has what is left of
// the producer's latency. So where the latency of a double explains a stall of the
// input to the cycle, it falls to what the next longest wait asks for, and stalls
// behind it may rise.

// shortStall is the longest stall with which an instruction of fixed latency keeps
// its yield bit.
const shortStall = 2

// stallPlan is what becomes of the stalls of a block.
type stallPlan struct {
	stalls []int
	gaps   []int // by word: cycles in front of it until the unit takes it
	moved  bool  // some word starts at another time
}

// Latencies where a block ends, and those of producers and consumers that were not
// met: enough for all that have one.
const (
	afterBAR       = 6  // stall of a BAR.SYNC
	leastBranch    = 5  // stall of an instruction that ends a block
	endRegister    = 7  // until a register may be read behind the end of its block
	endVote        = 12 // the same of VOTE
	endPredicates  = 7  // and of P2R
	endPredicate   = 13 // the same of a predicate
	endUniform     = 12 // of a uniform register
	endUniformMove = 5  // of one that is moved to
	endCombination = 11 // of what UPLOP3 makes
	endComparison  = 14 // of what UISETP makes
	doubleResult   = 10 // until arithmetic may read a double's result
	doubleTurn     = 6  // until a conversion may
	doubleMatrix   = 11 // until a product of matrices may
	doubleAsGuard  = 14 // until a guard may be what a comparison made
	doubleOver     = 6  // until a double on sm_103 may write what arithmetic wrote
	comparisonOver = 12 // and a comparison of doubles a predicate
	latestDouble   = 14 // a double's result may be read anywhere
	longestLatency = 16
)

const (
	kindBAR        = 0x11d
	kindComparison = 0x2a // DSETP
)

// restall makes the stalls of a block.
func (f *flow) restall(b int, need map[int]*fresh) stallPlan {
	bl := &f.blocks[b]
	n := bl.to - bl.from
	p := stallPlan{stalls: make([]int, n), gaps: make([]int, n)}
	was, is := make([]int, n+1), make([]int, n+1) // when each word starts
	since := -1                                   // the last one in the unit
	var d producers
	for k := range n + 1 {
		i := bl.from + k
		if k > 0 {
			was[k] = was[k-1] + f.spends(i-1)
			s := 0
			if k < n {
				s = f.stallBefore(&d, bl, i, was, is, need, p.moved)
			} else {
				s = f.stallAtEnd(bl, was, is)
			}
			if k < n {
				s = max(s, f.untilSeen(bl, i, need))
			}
			p.stalls[k-1], is[k] = s, is[k-1]+s
			if s > maxStall || s > f.filler.most && f.extra[i-1] > 0 {
				p.stalls[k-1] = f.filler.most
				if k < n {
					p.gaps[k] = s - f.filler.most
				}
			}
			p.moved = p.moved || is[k] != was[k]
		}
		if k == n {
			break
		}
		if f.words[i].takesTurn() {
			if since >= 0 && is[k]-is[since] < f.turnOf(bl.from+since) {
				gap := f.turnOf(bl.from+since) - (is[k] - is[since])
				p.gaps[k] += gap
				is[k] += gap
				p.moved = true
			}
			since = k
		}
		if f.words[i].op() == opENDCOLLECTIVE {
			since = -1 // lanes of a block of their own
		}
		d.add(i, &f.words[i], &f.ops[i])
	}
	return p
}

// stallBefore returns the stall of the word in front of word i.
func (f *flow) stallBefore(d *producers, bl *block, i int, was, is []int, need map[int]*fresh, moved bool) int {
	k := i - bl.from
	before, w := &f.words[i-1], &f.words[i]
	s := f.spends(i - 1)
	least, double := min(s, apartInUnit(before, w, leastApart(before, w))), false
	if before.op() == opYIELD {
		least = min(s, leastBranch)
	}
	switch {
	case before.op() == opBMOV, before.op() == opBMOVBack:
		least = min(s, leastBranch)
	case !w.inUnit() && w.wr() != noBoard && before.rd() == noBoard && overlap(vectorReads(&f.ops[i-1]), f.ops[i].writes):
		least = max(least, min(s, shortStall)) // what it reads a load may overwrite
	}
	if before.isIMMA() && !f.strange {
		least = 1 // on sm_100 what overwrites its sources stands farther behind
	}
	if f.noTurns && before.isPaced() && w.isPaced() {
		least, double = 1, true
	}
	old, stall := least, least
	d.of(w, &f.ops[i], func(at int, h hazard) {
		q := &f.words[at]
		if h != hazardUnit && (q.wr() != noBoard || !q.inUnit() && q.arrivesBehind() || f.noTurns && q.isPaced() && !q.inUnit()) {
			return // its scoreboard, or that of a later one of the unit, is waited for
		}
		apart := was[k] - was[at-bl.from]
		l, known := latencyOf(q, w, h)
		switch {
		case h != hazardUnit && q.inUnit():
			if q.isIMMA() {
				l, known = matrixResult, true
			} else if !known && !w.isDouble() {
				l, known = w.afterDouble(h), true
			}
			if known && apart <= l {
				double = true
			}
			return
		case !known:
			l = min(apart, longestLatency)
		}
		if h != hazardUnit && q.isArithmetic() {
			l = min(l, q.endLatency(f.ops[at].writes)) // enough for all that may follow
		}
		if h == hazardOver && q.isVector() && w.isVector() {
			l = min(l, shortStall)
		}
		if isResult := h%hazardOperand < hazardGuard; isResult && apart == withinPipe && q.isVector() && w.isVector() {
			l = withinPipe // that is why it stands there
		}
		l = min(l, apart) // the compiler knows better
		if h == hazardOver && q.isVector() && w.inUnit() {
			l = doubleOver
			if kindOf(w) == kindComparison {
				l = comparisonOver
			}
			double = double || apart < l
		}
		old = max(old, was[at-bl.from]+l-was[k-1])
		stall = max(stall, is[at-bl.from]+l-is[k-1])
	})
	keep := func(j, least int) {
		if j >= 0 {
			apart := min(least, was[k]-was[j-bl.from])
			old = max(old, was[j-bl.from]+apart-was[k-1])
			stall = max(stall, is[j-bl.from]+apart-is[k-1])
		}
	}
	keep(f.lastBarrier(bl, i), takesBarrier)
	keep(f.lastAlike(bl, i))
	unit, unitWas, behindOther := f.unitApart(bl, i, was, is)
	stall, old, double = max(stall, unit), max(old, unitWas), double || behindOther || f.endsMatrices(bl, i)
	switch {
	case !moved && !double:
		stall = s
	case s > old && !double:
		stall = max(stall, s)
	}
	if own, o := &f.ops[i-1], &f.ops[i]; behindOther && f.waitsFor(before, own, o) || w.waitsOn(before) {
		stall = max(stall, shortStall)
	}
	return stall
}

// endsMatrices reports whether the last instruction of the unit in a block is an IMMA in front
// of word i: on sm_100 the end of the block counts on its latency.
func (f *flow) endsMatrices(bl *block, i int) bool {
	for j := bl.to - 1; j >= bl.from; j-- {
		if w := &f.words[j]; w.takesTurn() {
			return j < i && w.isIMMA()
		}
	}
	return false
}

// spends returns how many cycles go by from a word to the next: its stall, and what the
// NOPs take that stood behind it.
func (f *flow) spends(i int) int {
	n := cycles(&f.words[i])
	if f.extra != nil {
		n += f.extra[i]
	}
	return n
}

// How many cycles stand between two of LDC and S2UR, or one and a BAR, between a BSSY and another one or a branch,
// and between a product of two registers' width and other arithmetic of its unit.
const (
	loadsApart    = 8
	marksApart    = 4
	productsApart = 4
)

// lastAlike returns the last word in front of word i of a block that goes through the same
// unit, of constants or of branches, and how far apart they stand; -1 for none.
func (f *flow) lastAlike(bl *block, i int) (at, apart int) {
	w := &f.words[i]
	isLoad, isProduct := w.isConstant() || w.op() == opBAR, w.unit() == unitProducts
	if !isLoad && !isProduct && w.op() != opBSSY && w.op() != opBMOV && !w.endsBlock() {
		return -1, 0
	}
	for j := i - 1; j >= bl.from; j-- {
		switch before := &f.words[j]; {
		case isProduct:
			if before.isWideProduct() {
				return j, productsApart
			}
		case isLoad && before.isConstant():
			return j, loadsApart
		case !isLoad && before.op() == opBSSY:
			return j, marksApart
		}
	}
	return -1, 0
}

// lastBarrier returns the last BAR in front of word i of a block, if that accesses memory; -1 for none.
func (f *flow) lastBarrier(bl *block, i int) int {
	for j := i - 1; j >= bl.from && f.words[i].isShared(); j-- {
		if f.words[j].op() == opBAR {
			return j
		}
	}
	return -1
}

// isConstant reports whether an instruction is LDC or S2UR.
func (w *word) isConstant() bool { return w.op() == opLDC || w.op() == opS2UR }

// isWideProduct reports whether it is IMAD.WIDE or IMAD.HI, which take it for longer.
func (w *word) isWideProduct() bool { return kindOf(w) == 0x25 || kindOf(w) == 0x27 }

// afterDouble returns how far behind a double on sm_100 its result may be read.
func (w *word) afterDouble(h hazard) int {
	switch {
	case h == hazardGuard, h == hazardPredicate && (w.endsBlock() || w.op() == opBREAK):
		return doubleAsGuard
	case w.isPaced():
		return doubleTurn
	case w.isDMMA():
		return doubleMatrix
	}
	return doubleResult
}

// untilSeen returns the stall that the word in front of word i needs at least for waits
// to see its scoreboards: two cycles.
func (f *flow) untilSeen(bl *block, i int, need map[int]*fresh) int {
	before := &f.words[i-1]
	if !f.strange && i == bl.to-1 && before.takesTurn() && (before.wr() != noBoard || before.rd() != noBoard) {
		return shortStall
	}
	if x := need[i-1]; x != nil {
		own, o, both := &f.ops[i-1], &f.ops[i], !f.excludes(i-1, i)
		inOrder := f.noTurns && f.words[i].inUnit()
		if !f.strange && i == bl.to-1 && !before.isIMMA() || both && x.wr && (overlap(own.writes, o.reads) || !inOrder && overlap(own.writes, o.writes)) || both && x.rd && !inOrder && overlap(lateReads(own), o.writes) {
			return shortStall
		}
	}
	return 1
}

// waitsOn reports whether a word waits for a scoreboard that another holds.
func (w *word) waitsOn(before *word) bool {
	mask := w.wait()
	return before.wr() < boards && mask>>before.wr()&1 != 0 || before.rd() < boards && mask>>before.rd()&1 != 0
}

// waitsFor reports whether a word that has operands o waits for the scoreboards of
// another.
func (f *flow) waitsFor(w *word, own, o *operands) bool {
	return w.wr() != noBoard && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) ||
		w.rd() != noBoard && overlap(own.reads, o.writes)
}

// endLatency is how many cycles behind an instruction of fixed latency its block may
// end.
func (w *word) endLatency(writes []span) int {
	l := endRegister
	switch w.op() {
	case opVOTE:
		l = endVote
	case opP2R:
		l = endPredicates
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
	old, stall := f.asksAtEnd(bl, was, was, least), f.asksAtEnd(bl, was, is, least)
	switch {
	case s == old:
		return min(stall, maxStall)
	case double:
		return min(stall, maxStall)
	}
	// What is closer together than it was keeps its distance all the same.
	return max(s, min(stall, maxStall))
}

// asksAtEnd returns the stall of a block's last word that results of fixed latencies ask
// for which live on, least at the least, where words start at those times.
func (f *flow) asksAtEnd(bl *block, was, at []int, least int) int {
	n := bl.to - bl.from
	stall := least
	for i := bl.from; i < bl.to; i++ {
		w := &f.words[i]
		if w.wr() != noBoard || w.inUnit() || !f.livesOn(bl, f.ops[i].writes) {
			continue
		}
		stall = max(stall, at[i-bl.from]+min(w.endLatency(f.ops[i].writes), was[n]-was[i-bl.from])-at[n-1])
	}
	return stall
}
