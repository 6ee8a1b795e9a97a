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
	endRegister    = 6  // until a register may be read behind the end of its block
	endPredicate   = 13 // the same of a predicate, or a uniform register
	doubleResult   = 7  // until most instructions may read a double's result
	latestDouble   = 14 // a double's result may be read anywhere
	longestLatency = 16
)

// isFixed reports whether an instruction has a fixed latency.
func (w *word) isFixed() bool {
	return w.wr() == noBoard && w.rd() == noBoard && !w.isDouble() && !w.isShared() && !w.endsBlock()
}

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
			p.stalls[k-1] = s
			is[k] = is[k-1] + s
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
	if before.isPaced() && !before.isDouble() {
		// It was the transcendental unit's, and kept the next one of that unit away.
		least, double = f.leastBehindOther(bl, i, is), true
	}
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
				l, known = doubleResult, true
			}
			if known && l == apart {
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
	switch {
	case !moved && !double:
		stall = s
	case s > old && !double:
		stall = max(stall, s)
	}
	if x := need[i-1]; x != nil { // a wait sees a scoreboard two cycles later
		own, o := &f.ops[i-1], &f.ops[i]
		if i == bl.to-1 || x.wr && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) || x.rd && overlap(lateReads(own), o.writes) {
			stall = max(stall, shortStall)
		}
	}
	if stall > maxStall {
		stall = maxStall
	}
	return stall
}

// leastBehindOther is leastApart for a word behind a conversion of doubles: what
// counts is the last instruction of the transcendental unit, which that isn't any more.
func (f *flow) leastBehindOther(bl *block, i int, is []int) int {
	k, least := i-bl.from, 1
	if before, own, o := &f.words[i-1], &f.ops[i-1], &f.ops[i]; before.wr() != noBoard && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) ||
		before.rd() != noBoard && overlap(own.reads, o.writes) {
		least = shortStall // a wait sees a scoreboard two cycles later
	}
	for j := i - 2; j >= bl.from; j-- {
		if w := &f.words[j]; w.op()&0x1f0 == 0x100 {
			return max(least, is[j-bl.from]+leastApart(w, &f.words[i])-is[k-1])
		}
	}
	return least
}

// stallAtEnd returns the stall of a block's last word.
func (f *flow) stallAtEnd(bl *block, was, is []int) int {
	n := bl.to - bl.from
	last := &f.words[bl.to-1]
	s, least := cycles(last), 1
	switch {
	case last.endsBlock():
		least = leastBranch
	case last.isDouble():
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
		l := endRegister
		for _, r := range f.ops[i].writes {
			if r.first >= uniformFile {
				l = endPredicate
			}
		}
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
