package resched

import "slices"

// Pauses beside products of matrices in rescheduled code. Up to 13.0 ptxas lets a word stall for as long as
// it can, and puts NOPs after it, or before the branch that ends the block. From 13.1 on no word of a block with products
// stalls for more than maxPause cycles, and what is left are UIADD3s that do nothing. As many cycles go by; but a
// word that pauses come after doesn't let others go first, so that more of what is read stays at hand.
//
// Source: mma.sync of halves by ptxas 13.0.88 through nvlink 13.1.115 and 13.5.37.

// isProduct reports whether a word is a product of matrices.
func (w *word) isProduct() bool {
	const opBMMA, opQMMA, opOMMA = 0x23a, 0x27a, 0x47f
	switch w.op() {
	case opHMMA, opIMMA, opDMMA, opBMMA, opQMMA, opOMMA:
		return true
	}
	return false
}

// hasProduct reports whether any word is a product of matrices.
func hasProduct(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.isProduct() })
}

// pausing is code whose NOPs beside products become pauses.
type pausing struct {
	*flow
	gone  []bool
	front map[int][]word // what comes before words
	extra map[int]int    // and how many of those are pauses
}

// pauseProducts makes pauses of what time goes by beside products of matrices, of which front takes what has no
// word. gone are words that go.
func pauseProducts(words []word, gone []bool, front map[int][]word, adds bool, r *Result) {
	if !hasProduct(words) {
		return
	}
	p := pausing{trace(words), gone, front, make(map[int]int)}
	p.paused, p.products, p.adds = make([]bool, len(words)), true, adds
	for b := range p.blocks {
		bl := &p.blocks[b]
		was := p.bitsOf(bl)
		if p.pauseBlock(bl, p.slowUntil(bl)) {
			r.paused = true
			p.setBits(bl, was, p.bitsOf(bl), false)
			p.goOn(bl)
		}
	}
	if len(p.extra) > 0 {
		r.Fillers = make([]int, len(words)+1)
		for i, n := range p.extra {
			r.Fillers[i] = n
		}
	}
}

// takeTurns reports whether a product of code for sm_120 is as far after another as ptxas up to 13.0 leaves at
// least. Releases from 13.1 on want 11 cycles, and how they set the block apart isn't known.
func (a *allocator) takeTurns() bool {
	const turn = 16
	for b := range a.blocks {
		time, last := 0, -turn-1
		for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
			if a.words[i].isProduct() {
				if time-last == turn {
					return true
				}
				last = time
			}
			time += cycles(&a.words[i])
		}
	}
	return false
}

// goOn sets the yield bits of what is paused, and of pauses.
func (p *pausing) goOn(bl *block) {
	for i := bl.from; i < bl.to; i++ {
		if p.paused[i] {
			p.words[i].setYield(true)
		}
	}
}

// slowUntil returns the word up to which nothing stalls for long in a block: its end where it has a product, else
// as far as one before it counts.
func (p *pausing) slowUntil(bl *block) int {
	if hasProduct(p.words[bl.from:bl.to]) {
		return bl.to
	}
	time := p.sinceProduct(bl.from)
	for i := bl.from; i < bl.to; i++ {
		if time += cycles(&p.words[i]); time > productResult {
			return i
		}
	}
	return bl.to
}

// sinceProduct returns the time from a product to word i, which follows it, productResult at most.
func (p *pausing) sinceProduct(i int) (time int) {
	for i--; i >= 0 && time < productResult && p.words[i].fallsThrough(); i-- {
		if time += cycles(&p.words[i]); p.words[i].isProduct() {
			return time
		}
	}
	return productResult
}

// productResult is how long a result of a product takes at most.
const productResult = 25

// pauseBlock is pauseProducts for a block up to a word, but for yield and reuse bits. What a predicate asks for before a
// WARPSYNC stays, and what an R2UR does. It reports whether anything paused.
func (p *pausing) pauseBlock(bl *block, until int) (any bool) {
	for i := bl.from; i < until; i++ {
		w := &p.words[i]
		if w.isFiller() || w.isPause() {
			continue
		}
		end := i + 1 // of the NOPs after it
		for end < bl.to && p.words[end].isFiller() {
			end++
		}
		switch {
		case end < bl.to && p.words[end].endsBlock() && p.words[end].stall() > maxPause:
			p.spread(end, i+1, end)
			any = true
		case w.stall() == maxStall && (end < bl.to || end > i+1):
			p.spread(i, i+1, end)
			any = true
		case w.stall() > maxPause && i+1 < bl.to && p.words[i+1].op() != opWARPSYNC && w.op() != opR2UR:
			p.spread(i, i+1, i+1)
			any = true
		}
	}
	return any
}

// spread lets word k stall for maxPause at most, and makes pauses of the NOPs from one word to another, with what
// is left of the time.
func (p *pausing) spread(k, from, to int) {
	w := &p.words[k]
	left := w.stall() - maxPause
	for i := from; i < to; i++ {
		left += cycles(&p.words[i])
	}
	w.setStall(maxPause)
	p.paused[k] = true
	var list []word
	for left > 0 {
		list = append(list, pauseOf(&left))
	}
	more := max(0, len(list)-(to-from))
	if more > 0 {
		p.front[from] = append(slices.Clone(list[:more]), p.front[from]...)
		p.extra[from] = more
	}
	list = list[more:]
	for i := from; i < to; i++ {
		k := i - from
		p.gone[i] = k >= len(list)
		if k < len(list) {
			p.words[i], p.ops[i], p.paused[i] = list[k], operands{}, true
		}
	}
}

// pauseOf returns a pause, and takes it from the time that is left.
func pauseOf(left *int) word {
	w := pauses.word
	w.setStall(min(maxPause, *left))
	w.setYield(true)
	*left -= w.stall()
	return w
}
