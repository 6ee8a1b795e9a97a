package resched

import "slices"

// spacing is a block whose words are set apart again.
type spacing struct {
	*flow
	*block
	*changes
	startTimes
	before   producers
	readers  map[int]int // by register: the last word that reads it and holds no scoreboard for that
	integers int         // the last word of the pipe of IADD3 as it is, as it was, of doubles, of products, the last LDC and the last BAR: -1 for none
	were     int
	paced    int
	product  int
	constant int
	barrier  int
	mark     int
}

// apart raises a bound of word k by what a word before it, -1 for none, asks for.
func (p *spacing) apart(to *bound, k, at, was, is int) { p.askApart(to, k, at-p.from, was, is) }

// takesIntegers is how often the pipe of IADD3 takes a word.
const takesIntegers = 2

// leastBefore returns the least stall of the word before word k of the block.
func (p *spacing) leastBefore(k int) bound {
	i := p.from + k
	b := bound{1, 1}
	if was, is, ok := p.sumLatency(i-1, i, hazardNext, p.changes); ok {
		p.apart(&b, k, i-1, was, is)
	}
	p.askUnits(&b, k)
	p.askReaders(&b, k)
	if p.words[i].isCall() {
		p.completeAt(&b, k)
	}
	p.before.of(&p.words[i], &p.ops[i], func(at int, h hazard) { p.askFor(&b, k, at, h) })
	return b
}

// leastOfOperands is leastBefore for what the word reads and writes alone.
func (p *spacing) leastOfOperands(k int) int {
	i := p.from + k
	b := bound{1, 1}
	p.before.of(&p.words[i], &p.ops[i], func(at int, h hazard) { p.askFor(&b, k, at, h) })
	return b.is
}

// askUnits raises a bound of word k by what its unit took last.
func (p *spacing) askUnits(to *bound, k int) {
	i := p.from + k
	w := &p.words[i]
	if w.isOfIntegers() || p.isSum[i] {
		p.apart(to, k, p.were, takesIntegers, 1)
	}
	if w.isOfIntegers() && !p.isSum[i] {
		p.apart(to, k, p.integers, takesIntegers, takesIntegers)
	}
	if w.isPaced() {
		was, is := p.turns()
		p.apart(to, k, p.paced, was, is)
	}
	if w.isOfProducts() && p.product >= 0 {
		n := p.words[p.product].productCycles()
		p.apart(to, k, p.product, n, n)
	}
	if w.takesConstants() || w.op() == opS2R && p.constant == p.barrier {
		p.apart(to, k, p.constant, takesConstant, takesConstant)
	}
	if !w.isVector() {
		p.apart(to, k, p.barrier, takesBarrier, takesBarrier)
	}
	if w.op() == opBSSY || w.endsBlock() {
		p.apart(to, k, p.mark, takesMark, takesMark)
	}
}

// turns is how long the unit of doubles took for an instruction, and does.
func (p *spacing) turns() (was, is int) {
	switch {
	case p.heldDoubles:
		return doubleTakes, doubleTakes
	case p.unpaced:
		return pace, 1
	}
	return pace, pace
}

// askReaders raises a bound of word k, if its result has no fixed latency, by who reads what it
// overwrites.
func (p *spacing) askReaders(to *bound, k int) {
	i := p.from + k
	w := &p.words[i]
	if w.isDouble() || w.wr() == noBoard && !w.isPaced() {
		return
	}
	for _, r := range p.ops[i].writes {
		for j := range r.count {
			if at, ok := p.readers[r.first+j]; ok && !(w.isPaced() && p.words[at].isPaced()) {
				p.apart(to, k, at, overwritten, overwritten)
			}
		}
	}
}

// askFor raises a bound of word k by an earlier word that it depends on.
func (p *spacing) askFor(to *bound, k, at int, h hazard) {
	if h != hazardUnit && p.words[at].wr() != noBoard && !p.isLate(at) {
		return
	}
	was, is, known := p.latency(at, p.from+k, h)
	switch {
	case known:
	case h == hazardUnit && p.halves:
		was, is = unitTakes, unitTakes
	default:
		was = min(p.was[k]-p.was[at-p.from], longestLatency)
		is = was
	}
	p.apart(to, k, at, was, is)
}

// latency is sumLatency where some results have no fixed latency.
func (p *spacing) latency(at, i int, h hazard) (was, is int, known bool) {
	was, is, known = p.sumLatency(at, i, h, p.changes)
	from, w := &p.words[at], &p.words[i]
	if p.heldDoubles && !known {
		was, known = from.ofDouble(w, h)
		is = was
	}
	switch {
	case h != hazardOver || from.arrivesBehind():
	case w.wr() == noBoard && from.isVector() && w.isVector():
		return 1, 1, true
	case w.wr() != noBoard && (from.isVector() || !known):
		n := from.madeBefore(w)
		return n, n, true
	}
	return was, is, known
}

// completeAt raises a bound of word k, a call, by the results that another function may read.
func (p *spacing) completeAt(to *bound, k int) {
	for j := k - 1; j >= 0 && p.is[k-1]-p.is[j] < untilEnd; j-- {
		at := p.from + j
		if p.words[at].wr() == noBoard && slices.ContainsFunc(p.ops[at].writes, func(r span) bool { return r.first < uniformFile }) {
			p.apart(to, k, at, untilEnd, untilEnd)
		}
	}
}

// add takes a word in.
func (p *spacing) add(i int) {
	w := &p.words[i]
	p.before.add(i, w, &p.ops[i])
	if w.rd() == noBoard {
		for _, r := range p.ops[i].reads {
			for j := range r.count {
				p.readers[r.first+j] = i
			}
		}
	}
	if w.isOfProducts() {
		p.product = i
	}
	switch w.op() {
	case opBAR:
		p.barrier = i
	case opBSSY:
		p.mark = i
	}
	if w.takesConstants() {
		p.constant = i
	}
	switch {
	case p.isSum[i]:
		p.were = i
	case w.isOfIntegers():
		p.were, p.integers = i, i
	case w.isPaced():
		p.paced = i
	}
}

func (f *flow) newSpacing(bl *block, c *changes) *spacing {
	n := bl.to - bl.from
	return &spacing{flow: f, block: bl, changes: c, startTimes: startTimes{make([]int, n), make([]int, n)}, integers: -1, were: -1, paced: -1, product: -1, constant: -1, barrier: -1, mark: -1, readers: make(map[int]int), before: producers{halves: c.halves}}
}

// unitTakes is how far accesses to memory stand apart that weren't seen one after the other.
const unitTakes = 4

// lasting returns how long word k of the block stalls further. A pause ends when a product before it is complete, and
// so does what is before a use of its result: it lasts less where what is between them takes longer.
func (p *spacing) lasting(k int) int {
	s, next := cycles(&p.words[p.from+k]), p.from+k+1
	for j := k - 1; j >= 0; j-- {
		at := p.from + j
		if p.words[at].isProduct() && (p.words[p.from+k].isPause() || p.isFresh(at) && p.follows(next, at)) {
			return max(1, s-(p.is[k]-p.is[j])+p.was[k]-p.was[j])
		}
	}
	return s
}

// follows reports whether a word uses what another makes, or overwrites what it reads.
func (f *flow) follows(i, at int) bool {
	o, own := &f.ops[i], &f.ops[at]
	return overlap(o.reads, own.writes) || overlap(o.writes, own.writes) || overlap(o.writes, own.reads)
}

// barrierMove is the stall of a BMOV, and of a WARPSYNC before a double that was paced.
const barrierMove = 5

// setBlockApart sets the words of a block apart again.
func (f *flow) setBlockApart(bl *block, c *changes) (moved bool) {
	n := bl.to - bl.from
	p := f.newSpacing(bl, c)
	stalls := make([]int, n)
	for k := range n {
		if k > 0 {
			s, gap := cycles(&f.words[bl.from+k-1]), c.fillers[bl.from+k]
			p.was[k] = p.was[k-1] + s + gap
			least := p.leastBefore(k)
			w, before := &f.words[bl.from+k], &f.words[bl.from+k-1]
			if before.op() == opBMOV || before.op() == opBMOVBack || before.op() == opWARPSYNC {
				least.is = max(least.is, min(s, barrierMove))
			}
			if s > least.was && gap == 0 && !(c.unpaced && (w.isPaced() || w.op() == opBRA && before.isDouble())) {
				least.is = max(least.is, p.lasting(k-1)) // for a reason that isn't known
			}
			if w.isFiller() {
				least.is = s // they stay, and go on with it
			}
			stalls[k-1] = p.untilBoards(k-1, min(least.is, maxStall))
			p.is[k] = p.is[k-1] + stalls[k-1]
			moved = moved || stalls[k-1] != s
		}
		p.add(bl.from + k)
	}
	if !moved {
		return false
	}
	stalls[n-1] = p.lastStall(n - 1)
	before := f.bitsOf(bl)
	for k := range n {
		w := &f.words[bl.from+k]
		if s := stalls[k]; cycles(w) != s {
			if !f.isFresh(bl.from + k) {
				w.keepsOn(s)
			}
			w.setStall(s)
		}
	}
	f.setBits(bl, before, f.bitsOf(bl), c.unpaced)
	return true
}

// Cycles until the end of a block from what makes a result of fixed latency that is read after it.
// Source: code for sm_120 of ptxas 13.5.37.
const (
	untilEnd          = 7
	predicateUntilEnd = 13
	leastOfBranch     = 5
)

// lastStall returns the stall of a block's last word, k.
func (p *spacing) lastStall(k int) int {
	w := &p.words[p.from+k]
	stall := w.stall()
	if !p.halves && !p.heldDoubles && !p.unpaced || w.isCall() || stall == 0 || len(p.next) == 0 && !(w.op() == opRET && p.heldDoubles) {
		return stall
	}
	least := bound{1, 1}
	if w.endsBlock() {
		least = bound{leastOfBranch, leastOfBranch}
	}
	least = p.endBound(k, least, p.live[p.of[p.from]])
	if stall > least.was {
		every := newBitset(allRegisters)
		every.setAll()
		if all := p.endBound(k, least, every); all.was == stall {
			return min(all.is, maxStall) // what is read nowhere counted too
		}
	}
	if stall > least.was {
		return max(stall, least.is) // for a reason that isn't known
	}
	return min(least.is, maxStall)
}

// endBound raises a bound of a block's last word, k, by the results of fixed latency that live.
func (p *spacing) endBound(k int, least bound, live bitset) bound {
	written := newBitset(allRegisters)
	for j := k; j >= 0 && min(p.was[k]-p.was[j], p.is[k]-p.is[j]) < endComparison; j-- {
		from := &p.words[p.from+j]
		for _, r := range p.ops[p.from+j].writes {
			for i := range r.count {
				reg := r.first + i
				if written.has(reg) || !live.has(reg) || from.wr() != noBoard && !p.isLate(p.from+j) {
					continue
				}
				written.set(reg)
				far := untilEnd
				if from.isPair() {
					far++
				}
				switch {
				case reg >= uniformFile && reg < predFile:
					far = from.endLatency(p.ops[p.from+j].writes)
				case reg >= predFile:
					far = predicateUntilEnd
				case p.isLate(p.from + j):
					far = doubleUntilEnd
				}
				least.was = max(least.was, p.was[j]+far-p.was[k])
				least.is = max(least.is, p.is[j]+far-p.is[k])
			}
		}
	}
	return least
}
