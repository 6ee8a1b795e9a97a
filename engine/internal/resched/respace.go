package resched

import "slices"

// The stalls, yield and reuse bits of code of sm_100 on sm_103, and the NOPs in it.

// takeSchedules gives words the schedules of those that they became, but for their scoreboards.
func takeSchedules(words, from []word, moves []int) {
	const schedule = (1<<(64-stallShift) - 1) << stallShift
	for i, m := range moves {
		if m >= 0 {
			wr, rd := words[i].wr(), words[i].rd()
			words[i].hi = words[i].hi&^schedule | from[m].hi&schedule
			words[i].setWr(wr)
			words[i].setRd(rd)
		}
	}
}

// fillersInFront returns by word the fillers before it, of those before the words that they
// became, and counts them.
func (r *Result) fillersInFront(of map[int][]word, moves []int) map[int][]word {
	front := map[int][]word{}
	r.Fillers = make([]int, len(moves)+1)
	for i, m := range moves {
		if m >= 0 && len(of[m]) > 0 {
			front[i] = of[m]
			r.Fillers[i] = len(front[i])
		}
	}
	return front
}

// spentBefore returns by word how many cycles go by up to it.
func (f *flow) spentBefore() []int {
	times := make([]int, len(f.words))
	for i := 1; i < len(times); i++ {
		times[i] = times[i-1] + f.spends(i-1)
	}
	return times
}

// dropDelays marks as gone the NOPs that go on with the longest stall, and returns by the
// word in front how long; by a block's last word those before it that count on its stall.
// Other NOPs stand for something.
func dropDelays(words []word, gone []bool) map[int]int {
	delays := map[int]int{}
	for _, b := range blocks(words) {
		last, until := -1, untilTail(words, b)
		for i := b.from; i < b.to; i++ {
			switch w := &words[i]; {
			case gone[i], i >= until:
			case isOfEnd(words, b, i) && (last < 0 || words[last].stall() < words[i+1].stall()):
				gone[i] = true
				delays[i+1] += cycles(w)
			case last >= 0 && w.isFiller() && words[last].stall() == maxStall, last >= 0 && w.isPause():
				gone[i] = true
				delays[last] += cycles(w)
			default:
				last = i
			}
		}
	}
	return delays
}

// untilTail returns where the fillers begin that a block ends with, if it ends where an HMMA is complete: they stay.
func untilTail(words []word, b block) int {
	i := b.to
	for i > b.from && (words[i-1].isFiller() || words[i-1].isPause()) {
		i--
	}
	time := 0
	for j := b.to - 1; j >= b.from && time < halfToHalf; j-- {
		time += cycles(&words[j])
		if words[j].op() == opHMMA && time <= halfToHalf {
			return i
		}
	}
	return b.to
}

// isOfEnd reports whether word i of a block is a filler that goes on with the stall of the block's last word, before it.
func isOfEnd(words []word, b block, i int) bool {
	if i+2 != b.to || !words[i+1].endsBlock() || !hasProduct(words[b.from:b.to]) {
		return false
	}
	return words[i].isFiller() && words[i+1].stall() == maxStall || words[i].isPause() && words[i+1].stall() == maxPause
}

// respace gives the words of a flow their new stalls, yield and reuse bits; it returns by
// word the NOPs before it.
func (f *flow) respace(need map[int]*fresh) map[int][]word {
	words, front := f.words, map[int][]word{}
	was := make([]yieldBits, len(f.blocks))
	f.fixed = true
	for b := range f.blocks {
		was[b] = f.bitsOf(&f.blocks[b])
	}
	f.fixed = false
	f.findLive()
	for b := range f.blocks {
		if !f.seen[b] {
			continue
		}
		bl := &f.blocks[b]
		p := f.restall(b, need)
		for i := bl.from; i < bl.to; i++ {
			w := &words[i]
			if s := p.stalls[i-bl.from]; s != cycles(w) {
				w.setStall(s)
			}
			if w.inUnit() {
				w.setYield(w.stall() < longStall)
				if !f.strange || !w.isIMMA() {
					w.hi &^= 0xf << reuseShift
				}
			}
			if f.filler.lets && w.isDMMA() {
				w.hi &^= 0xf << reuseShift
			}
			if gap := p.gaps[i-bl.from]; gap > 0 {
				with := f.fillerIn(bl)
				front[i] = with.delay(&words[i-1], gap)
				switch {
				case len(front[i]) == 0:
				case with.lets:
					f.paused[i-1] = true
				default:
					f.dropReuse(bl.from, i)
				}
			}
		}
		if p.inFront > 0 {
			last := bl.to - 1
			front[last] = append(front[last], f.fillerIn(bl).list(p.inFront)...)
		}
		f.setBits(bl, was[b], f.bitsOf(bl), false)
		for i := bl.from; i < bl.to; i++ {
			if f.paused[i] {
				words[i].setYield(true)
			}
		}
	}
	return front
}

// cycles returns the stall of an instruction, at least one.
func cycles(w *word) int { return max(1, w.stall()) }

// reuseShift is where the reuse bits begin, one for each source register.
const reuseShift = 58

// dropReuse clears the reuse bits of words before NOPs: what no word up to there
// reads in the same place is lost.
func (f *flow) dropReuse(from, to int) {
	words := f.words[from:to]
	sources := [...]func(w *word) uint64{
		func(w *word) uint64 { return w.lo >> 24 & 0xff },
		func(w *word) uint64 { return w.lo >> 32 & 0xff },
		func(w *word) uint64 { return w.hi & 0xff },
	}
	for j := len(words) - 1; j >= max(0, len(words)-reuseReach); j-- {
		if f.strange && words[j].isIMMA() {
			continue
		}
		for k, source := range sources {
			later := func(w word) bool { return source(&w) == source(&words[j]) }
			if words[j].hi>>(reuseShift+k)&1 != 0 && !slices.ContainsFunc(words[j+1:], later) {
				words[j].hi &^= 1 << (reuseShift + k)
			}
		}
	}
}

// reuseReach is how far after a word its source is taken again at most.
const reuseReach = 8
