package resched

// What asks for the stall of a word before another.

// Latencies of producers and consumers that were not met: enough for all that have one.
const (
	doubleResult   = 10 // until arithmetic may read a double's result
	doubleTurn     = 6  // until a conversion may
	doubleMatrix   = 11 // until a product of matrices may
	doubleAsGuard  = 14 // until a guard may be what a comparison made
	doubleOver     = 6  // until a double on sm_103 may write what arithmetic wrote
	comparisonOver = 12 // and a comparison of doubles a predicate
	latestDouble   = 14 // a double's result may be read anywhere
	longestLatency = 16
)

const kindComparison = 0x2a // DSETP

// asked is the stall that is asked for: as the words started, and as they start now. freed says that
// one counted on the latency of a double, which has none any more.
type asked struct {
	bound
	freed bool
}

// stallBefore returns the stall of the word before word k of the block.
func (r *restalling) stallBefore(k int) int {
	i := r.from + k
	a := r.askedInFront(i)
	r.before.of(&r.words[i], &r.ops[i], func(at int, h hazard) { r.askFor(&a, k, at, h) })
	r.askBehind(&a, k, r.lastBarrier(r.block, i), takesBarrier)
	at, apart := r.lastAlike(r.block, i)
	r.askBehind(&a, k, at, apart)
	if r.isPad(i) {
		r.askComplete(&a, k)
	}
	unit, unitWas, behindOther := r.unitApart(r.block, i, r.was, r.is)
	a.is, a.was = max(a.is, unit), max(a.was, unitWas)
	a.freed = a.freed || behindOther || r.endsMatrices(r.block, i)
	stall := r.spends(i - 1)
	switch {
	case r.words[i-1].op() == opHMMA && (r.words[i].isFiller() || r.words[i].isPause()):
		// the end of the block counts on both
	case a.freed:
		stall = a.is
	case r.moved && stall > a.was:
		stall = max(stall, a.is) // for a reason that isn't known
	case r.moved:
		stall = a.is
	}
	w, before := &r.words[i], &r.words[i-1]
	if behindOther && r.waitsFor(before, &r.ops[i-1], &r.ops[i]) || w.waitsOn(before) {
		stall = max(stall, shortStall)
	}
	return stall
}

// isPad reports whether word i is the NOP before a BSYNC, or the BSYNC that gets one.
func (f *flow) isPad(i int) bool {
	switch {
	case i >= len(f.words):
		return false
	case f.words[i].op() == opNOP && i+1 < len(f.words):
		return f.strange && f.words[i+1].isPadded()
	}
	return f.pads && f.words[i].isPadded()
}

// askComplete asks for all results of fixed latency before word k of the block.
func (r *restalling) askComplete(a *asked, k int) {
	for j := k - 1; j >= 0; j-- {
		at := r.from + j
		if w := &r.words[at]; w.inUnit() {
			a.freed = a.freed || r.distance(k, j) <= w.latest()
		} else if w.wr() == noBoard && len(r.ops[at].writes) > 0 {
			r.askBehind(a, k, at, w.endLatency(r.ops[at].writes))
		}
	}
}

// askedInFront returns what the word before word i asks for by itself.
func (r *restalling) askedInFront(i int) asked {
	before, w := &r.words[i-1], &r.words[i]
	s := r.spends(i - 1)
	if r.noTurns && before.isPaced() && w.takesTurn() {
		return asked{bound{1, 1}, true}
	}
	least := min(s, apartInUnit(before, w, leastApart(before, w)))
	switch {
	case before.isIMMA():
		least = 1 // on sm_100 what overwrites its sources stands farther after
	case before.op() == opYIELD, before.op() == opBMOV, before.op() == opBMOVBack:
		least = min(s, leastBranch)
	case !w.inUnit() && w.wr() != noBoard && before.rd() == noBoard && overlap(vectorReads(&r.ops[i-1]), r.ops[i].writes):
		least = max(least, min(s, shortStall)) // what it reads a load may overwrite
	}
	return asked{bound{least, least}, false}
}

// askBehind asks for so many cycles between word k of the block and an earlier one, -1 for none.
func (r *restalling) askBehind(a *asked, k, at, cycles int) {
	r.askApart(&a.bound, k, at-r.from, cycles, cycles)
}

// askFor asks for what word k of the block needs of an earlier one that it depends on.
func (r *restalling) askFor(a *asked, k, at int, h hazard) {
	q, w := &r.words[at], &r.words[r.from+k]
	apart := r.distance(k, at-r.from)
	switch {
	case r.isWaitedFor(q, h):
	case h != hazardUnit && q.inUnit():
		a.freed = a.freed || q.explains(w, h, apart)
	case h == hazardOver && q.isVector() && w.inUnit():
		l := w.untilOver()
		a.freed = a.freed || apart < l
		r.ask(&a.bound, k, at-r.from, l, l)
	default:
		r.askBehind(a, k, at, r.latencyFrom(at, w, h, apart))
	}
}

// isWaitedFor reports whether a scoreboard answers for what a word depends on: that of the word
// itself, or of a later one of its unit.
func (r *restalling) isWaitedFor(q *word, h hazard) bool {
	behind := !q.inUnit() && (q.arrivesBehind() || r.noTurns && q.isPaced())
	return h != hazardUnit && (q.wr() != noBoard || behind)
}

// explains reports whether the latency that an instruction of the unit had on sm_100 is why another
// stands so far after it.
func (w *word) explains(later *word, h hazard, apart int) bool {
	l, known := latencyOf(w, later, h)
	switch {
	case w.isIMMA():
		l, known = matrixResult, true
	case !known && !later.isDouble():
		l, known = later.afterDouble(h), true
	}
	return known && apart <= l
}

// latencyFrom returns how far a word follows word at, of fixed latency, at least. apart is how
// far it does.
func (r *restalling) latencyFrom(at int, w *word, h hazard, apart int) int {
	q := &r.words[at]
	isResult := h%hazardOperand < hazardGuard
	if isResult && apart == withinPipe && q.isVector() && w.isVector() {
		return withinPipe // that is why it is there
	}
	l, known := latencyFor(q, w, h)
	if !known {
		l = min(apart, q.longestUntil(w, h))
	}
	if h != hazardUnit && q.isArithmetic() {
		l = min(l, q.endLatency(r.ops[at].writes)) // enough for all that may follow
	}
	if h == hazardOver && q.isVector() && w.isVector() {
		l = min(l, shortStall)
	}
	return l
}

// longestUntil is how far after an instruction whose latency for another isn't known that may be at most.
func (w *word) longestUntil(later *word, h hazard) int {
	switch {
	case w.op() != opHMMA:
		return longestLatency
	case h == hazardOver && later.isVector():
		return halfOver
	case later.op() == opHMMA:
		return halfToHalf
	}
	return halfResult
}

// untilOver is how far after arithmetic a double of sm_103 may overwrite its result.
func (w *word) untilOver() int {
	if kindOf(w) == kindComparison {
		return comparisonOver
	}
	return doubleOver
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

// How many cycles are between two of LDC and S2UR, or one and a BAR, between a BSSY and another one or a branch,
// and between a product of two registers' width and other arithmetic of its unit.
const (
	loadsApart    = 8
	marksApart    = 4
	productsApart = 4
)

// lastAlike returns the last word before word i of a block that goes through the same
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

// lastBarrier returns the last BAR before word i of a block, if that accesses memory; -1 for none.
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

// afterDouble returns how far after a double on sm_100 its result may be read.
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
