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
	leastBranch    = 5  // stall of an instruction that ends a block
	endRegister    = 7  // until a register may be read behind the end of its block
	endPredicate   = 13 // the same of a predicate
	endUniform     = 12 // of a uniform register
	endCombination = 11 // of what UPLOP3 makes
	endComparison  = 14 // of what UISETP makes
	doubleResult   = 10 // until arithmetic may read a double's result
	doubleShared   = 7  // until the memory unit may
	doubleTurn     = 6  // until a conversion may
	doubleAsGuard  = 14 // until a guard may be what a comparison made
	latestDouble   = 14 // a double's result may be read anywhere
	longestLatency = 16
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
			was[k] = was[k-1] + cycles(&f.words[i-1])
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
			p.moved = p.moved || is[k] != was[k]
		}
		if k == n {
			break
		}
		if f.words[i].isPaced() {
			if since >= 0 && is[k]-is[since] < pace {
				p.gaps[k] = pace - (is[k] - is[since])
				is[k] += p.gaps[k]
				p.moved = true
			}
			since = k
		}
		d.add(i, &f.words[i], &f.ops[i])
	}
	return p
}

// stallBefore returns the stall of the word in front of word i.
func (f *flow) stallBefore(d *producers, bl *block, i int, was, is []int, need map[int]*fresh, moved bool) int {
	k := i - bl.from
	before, w := &f.words[i-1], &f.words[i]
	s := cycles(before)
	least, double := leastApart(before, w), false
	old, stall := least, least
	d.of(w, &f.ops[i], func(at int, h hazard) {
		q := &f.words[at]
		if h != hazardUnit && q.wr() != noBoard {
			return
		}
		apart := was[k] - was[at-bl.from]
		l, known := latencyOf(q, w, h)
		switch {
		case h != hazardUnit && q.isDouble():
			if !known && !w.isDouble() {
				l, known = w.afterDouble(h), true
			}
			if known && apart <= l {
				double = true
			}
			return
		case !known:
			l = min(apart, longestLatency)
		}
		l = min(l, apart) // the compiler knows better
		old = max(old, was[at-bl.from]+l-was[k-1])
		stall = max(stall, is[at-bl.from]+l-is[k-1])
	})
	unit, behindOther := f.unitApart(bl, i, was, is)
	stall, double = max(stall, unit), double || behindOther
	switch {
	case !moved && !double:
		stall = s
	case s > old && !double:
		stall = max(stall, s)
	}
	if own, o := &f.ops[i-1], &f.ops[i]; behindOther && f.waitsFor(before, own, o) {
		stall = max(stall, shortStall)
	}
	if stall > maxStall {
		stall = maxStall
	}
	return stall
}

// afterDouble returns how far behind a double on sm_100 its result may be read.
func (w *word) afterDouble(h hazard) int {
	switch {
	case h == hazardGuard:
		return doubleAsGuard
	case w.isShared():
		return doubleShared
	case w.isPaced():
		return doubleTurn
	}
	return doubleResult
}

// untilSeen returns the stall that the word in front of word i needs at least for waits
// to see its scoreboards: two cycles.
func (f *flow) untilSeen(bl *block, i int, need map[int]*fresh) int {
	before := &f.words[i-1]
	if i == bl.to-1 && before.isPaced() && (before.wr() != noBoard || before.rd() != noBoard) {
		return shortStall
	}
	if x := need[i-1]; x != nil {
		own, o := &f.ops[i-1], &f.ops[i]
		if i == bl.to-1 || x.wr && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) || x.rd && overlap(lateReads(own), o.writes) {
			return shortStall
		}
	}
	return 1
}

// waitsFor reports whether a word that has operands o waits for the scoreboards of
// another.
func (f *flow) waitsFor(w *word, own, o *operands) bool {
	return w.wr() != noBoard && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) ||
		w.rd() != noBoard && overlap(own.reads, o.writes)
}

// unitPace is how many cycles apart the transcendental unit takes two instructions.
const unitPace = 8

// isTranscendental reports whether an instruction of sm_100 is one of the
// transcendental unit.
func (w *word) isTranscendental() bool { return w.op()&0x1f0 == 0x100 || w.isPaced() && !w.isDouble() }

// Instructions of the transcendental unit that sm_103 takes sooner behind each other
// than sm_100: FLO, BREV, POPC and EX2.
const (
	opFLO, opBREV, opMUFU, opPOPC = 0x300, 0x301, 0x308, 0x309

	functionField = 74 // of MUFU
	functionEX2   = 2
)

// isQuicker reports whether sm_103 takes an instruction of that unit sooner.
func (w *word) isQuicker() bool {
	switch w.op()&^0xe00 | 0x300 {
	case opFLO, opBREV, opPOPC:
		return true
	case opMUFU:
		return w.field(functionField, 4) == functionEX2
	}
	return false
}

// hasQuicker reports whether two such instructions stand so near in a block that the
// later one may have waited for the unit.
func hasQuicker(words []word) bool {
	for _, b := range blocks(words) {
		at, last := 0, -unitPace-1
		for i := b.from; i < b.to; i++ {
			w := &words[i]
			if w.isTranscendental() && w.isQuicker() {
				if at-last <= unitPace {
					return true
				}
				last = at
			}
			at += cycles(w)
		}
	}
	return false
}

// unitApart returns the stall that the transcendental unit asks for in front of word i.
// isOther says that the input has its stall for a conversion of doubles, which isn't one
// of the unit any more.
func (f *flow) unitApart(bl *block, i int, was, is []int) (stall int, isOther bool) {
	w, k := &f.words[i], i-bl.from
	if !w.isTranscendental() {
		return 0, false
	}
	for j, first := i-1, true; j >= bl.from && was[k]-was[j-bl.from] <= 2*unitPace; j-- {
		q := &f.words[j]
		if !q.isTranscendental() {
			continue
		}
		if first && (q.isPaced() || w.isPaced()) {
			isOther = was[k]-was[j-bl.from] == unitPace
		}
		first = false
		if w.isPaced() || q.isPaced() {
			continue
		}
		return is[j-bl.from] + min(unitPace, was[k]-was[j-bl.from]) - is[k-1], isOther
	}
	return 0, isOther
}

// endLatency is how many cycles behind an instruction of fixed latency its block may
// end.
func (w *word) endLatency(writes []span) int {
	l := endRegister
	for _, r := range writes {
		switch {
		case r.first >= uniformFile && kindOf(w) == 0x8c:
			l = max(l, endComparison)
		case r.first >= uniformFile && kindOf(w) == 0x9c:
			l = max(l, endCombination)
		case r.first >= predFile:
			l = max(l, endPredicate)
		case r.first >= uniformFile:
			l = max(l, endUniform)
		}
	}
	return l
}

// stallAtEnd returns the stall of a block's last word.
func (f *flow) stallAtEnd(bl *block, was, is []int) int {
	n := bl.to - bl.from
	last := &f.words[bl.to-1]
	s, least := cycles(last), 1
	switch {
	case last.endsBlock():
		least = leastBranch
	case last.isDouble() || last.wr() != noBoard || last.rd() != noBoard:
		least = shortStall // until a wait sees its scoreboards
	}
	double := false
	stall := least
	for i := bl.from; i < bl.to; i++ {
		w := &f.words[i]
		apart := was[n] - was[i-bl.from]
		if w.wr() != noBoard || len(f.ops[i].writes) == 0 {
			continue
		}
		if w.isDouble() {
			double = double || apart <= latestDouble
			continue
		}
		l := w.endLatency(f.ops[i].writes)
		stall = max(stall, is[i-bl.from]+min(l, apart)-is[n-1])
	}
	if last.op() == opEXIT {
		return s
	}
	if !double || s <= least {
		// What is closer together than it was keeps its distance all the same.
		return max(s, min(stall, maxStall))
	}
	return min(stall, maxStall, s)
}
