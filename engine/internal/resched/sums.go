package resched

// Stalls beside IADDs that were IADD3s. Those two, shifts and logic are a pipe of their
// own, whose results another of it may read a cycle sooner, and which takes one every
// other cycle; IADD is of another.

// isOfIntegers reports whether an instruction of sm_120 is of the pipe of IADD3.
func (w *word) isOfIntegers() bool {
	switch w.op() & 0x1ff {
	case addOfThree, 0x11, 0x12, 0x13, 0x16, 0x19, 0x45:
		return true
	}
	return false
}

const (
	withinPipe = 4 // until a result may be read in the same pipe
	acrossPipe = 5 // and in others
)

// setApart sets words that keep their scoreboards apart anew, where some of them became IADDs or
// fillers went.
func (how *Options) setApart(words []word, r *Result) {
	if len(r.Added)+len(how.Fillers) > 0 && !isUnoptimized(words) {
		trace(words).setApart(r.sumsNow(), how, r)
	}
}

// changes are what asks for other stalls.
type changes struct {
	isSum   []bool // by word: it is a new IADD
	fillers []int  // by word: cycles of fillers that stood in front of it
	table   map[pair]int
	unpaced bool
}

// setApart sets the words of all blocks that changed apart anew; sums are the new IADDs.
func (f *flow) setApart(sums []int, how *Options, r *Result) {
	c := changes{isSum: make([]bool, len(f.words)), fillers: make([]int, len(f.words)), table: latencies103(), unpaced: len(how.Fillers) > 0}
	if how.Adds {
		c.table = latencies120()
	}
	for _, i := range sums {
		c.isSum[i] = true
	}
	if c.unpaced {
		r.cyclesOf(how.Fillers, c.fillers)
	}
	for b := range f.blocks {
		bl := &f.blocks[b]
		any := false
		for i := bl.from; i < bl.to; i++ {
			any = any || c.isSum[i] || c.unpaced && f.words[i].isPaced()
		}
		if any {
			f.setBlockApart(bl, &c)
		}
	}
	for i := range f.words {
		f.time[i+1] = f.time[i] + cycles(&f.words[i])
	}
}

// sumLatency is what the latency of a pair of words was, and is.
func (f *flow) sumLatency(from, to int, h hazard, c *changes) (was, is int, known bool) {
	isSum := c.isSum
	p, q := f.words[from], f.words[to]
	if isSum[from] {
		p = *p.asThree()
	}
	if isSum[to] {
		q = *q.asThree()
	}
	was, known = c.table[pair{kindOf(&p), kindOf(&q), h}]
	if n := q.doubleLatency(&p, h); n > 0 && c.unpaced {
		n = max(n, was)
		return n, n, true
	}
	if !known && p.isVector() && q.isVector() {
		was, known = usualLatency(h)
	}
	if h == hazardOver && c.unpaced && (q.isPaced() || p.isUniformMove()) {
		return max(was, 1), 1, true
	}
	is = was
	result := h != hazardUnit && h != hazardNext && h != hazardOver
	if known && result && was == withinPipe && (isSum[from] || isSum[to]) && p.isOfIntegers() && (q.isOfIntegers() || q.op() == opR2UR) {
		is = acrossPipe
	}
	switch {
	case h == hazardOver && was == takesIntegers && (isSum[from] || isSum[to]):
		is = 1
	case h != hazardNext || !isSum[from] && !isSum[to]:
	case isSum[to] && f.words[from].isPairSum():
		is = 2
	default:
		is = 1
	}
	return was, is, known
}

// usualLatency is that of pairs of arithmetic that were not met.
func usualLatency(h hazard) (int, bool) {
	const predicate = 13
	switch {
	case h == hazardGuard || h == hazardPredicate:
		return predicate, true
	case h == hazardNext:
		return 1, true
	case h == hazardUnit || h >= hazardUniform && h < hazardUnit:
		return 0, false
	}
	return acrossPipe, true
}

// isPairSum reports whether a word is an IADD of pairs, which its pipe takes twice.
func (w *word) isPairSum() bool { return w.op()&0xff == addOfTwo && w.field(wideBit, 1) != 0 }

// opR2UR copies to a uniform register.
const opR2UR = 0x2ca

func (w word) asThree() *word {
	w.lo = w.lo&^0xff | addOfThree
	return &w
}

// spacing is a block whose words are set apart anew.
type spacing struct {
	*flow
	*block
	*changes
	was, is  []int // by word of the block: when it starts
	before   producers
	integers int // the last word of the pipe of IADD3 as it is, as it was, and of doubles: -1 for none
	were     int
	paced    int
}

// bound is the least stall of the word in front of another, as it was and as it is.
type bound struct{ was, is int }

// apart raises a bound of word k by what a word before it asks for. What stood closer was known
// to be right.
func (p *spacing) apart(to *bound, k, at, was, is int) {
	if at < 0 {
		return
	}
	at -= p.from
	if apart := p.was[k] - p.was[at]; was > apart {
		was, is = apart, apart
	}
	to.was = max(to.was, p.was[at]+was-p.was[k-1])
	to.is = max(to.is, p.is[at]+is-p.is[k-1])
}

// takesIntegers is how often the pipe of IADD3 takes a word.
const takesIntegers = 2

// leastBefore returns the least stall of the word in front of word k of the block.
func (p *spacing) leastBefore(k int) bound {
	i := p.from + k
	w := &p.words[i]
	b := bound{1, 1}
	if was, is, ok := p.sumLatency(i-1, i, hazardNext, p.changes); ok {
		p.apart(&b, k, i-1, was, is)
	}
	if w.isOfIntegers() || p.isSum[i] {
		p.apart(&b, k, p.were, takesIntegers, 1)
	}
	if w.isOfIntegers() && !p.isSum[i] {
		p.apart(&b, k, p.integers, takesIntegers, takesIntegers)
	}
	if w.isPaced() {
		now := pace
		if p.unpaced {
			now = 1
		}
		p.apart(&b, k, p.paced, pace, now)
	}
	p.before.of(w, &p.ops[i], func(at int, h hazard) {
		if h != hazardUnit && p.words[at].wr() != noBoard {
			return
		}
		was, is, known := p.sumLatency(at, i, h, p.changes)
		if !known {
			was = min(p.was[k]-p.was[at-p.from], longestLatency)
			is = was
		}
		p.apart(&b, k, at, was, is)
	})
	return b
}

// add takes a word in.
func (p *spacing) add(i int) {
	w := &p.words[i]
	p.before.add(i, w, &p.ops[i])
	switch {
	case p.isSum[i]:
		p.were = i
	case w.isOfIntegers():
		p.were, p.integers = i, i
	case w.isPaced():
		p.paced = i
	}
}

// setBlockApart sets the words of a block apart anew.
func (f *flow) setBlockApart(bl *block, c *changes) {
	n := bl.to - bl.from
	p := spacing{flow: f, block: bl, changes: c, was: make([]int, n), is: make([]int, n), integers: -1, were: -1, paced: -1}
	stalls := make([]int, n)
	moved := false
	for k := range n {
		if k > 0 {
			s, gap := cycles(&f.words[bl.from+k-1]), c.fillers[bl.from+k]
			p.was[k] = p.was[k-1] + s + gap
			least := p.leastBefore(k)
			if s > least.was && gap == 0 && !(c.unpaced && f.words[bl.from+k].isPaced()) {
				least.is = max(least.is, s) // for a reason that isn't known
			}
			stalls[k-1] = min(least.is, maxStall)
			p.is[k] = p.is[k-1] + stalls[k-1]
			moved = moved || stalls[k-1] != s
		}
		p.add(bl.from + k)
	}
	if !moved {
		return
	}
	before := f.bitsOf(bl)
	for k := range n - 1 {
		w := &f.words[bl.from+k]
		if s := p.untilBoards(k, stalls[k]); w.stall() != s {
			w.keepsOn(s)
			w.setStall(s)
		}
	}
	f.setBits(bl, before, f.bitsOf(bl))
}

// sumsNow returns where the new IADDs are now.
func (r *Result) sumsNow() (list []int) {
	for _, i := range r.Added {
		list = append(list, r.Moves[i])
	}
	return list
}

// leaveSooner lets a branch follow a double whose scoreboards it doesn't wait for at once.
func (f *flow) leaveSooner() {
	const most = 5
	for i := range len(f.words) - 1 {
		w, next := &f.words[i], &f.words[i+1]
		if next.op() != opBRA || !w.isDouble() || w.wr() == noBoard || w.stall() > most {
			continue
		}
		if held := uint8(1)<<w.wr() | uint8(1)<<w.rd(); next.wait()&held&allBoards == 0 {
			w.setStall(1)
		}
	}
}
