package resched

// What the words of the output wait for.

// pass goes over a block of the output with the tokens that are pending. note is
// told the mask of each word before its own tokens are added.
func (a *allocator) pass(b int, is bitset, note func(i int, mask uint8)) {
	bl := &a.blocks[b]
	was := a.entry[b].clone()
	open := uint8(0) // what the last WARPSYNC.COLLECTIVE waited for
	for i := bl.from; i < bl.to; i++ {
		mask := a.maskOf(b, i, is, was)
		switch w := &a.words[i]; {
		case w.isCollective():
			open = mask
		case w.op() == opENDCOLLECTIVE && a.method != allAnew:
			mask |= open
			fallthrough
		default:
			a.releaseNow(is, mask)
		}
		if note != nil {
			note(i, mask)
		}
		a.add(is, i)
		a.release(was, a.words[i].wait())
		a.addInput(was, i)
	}
}

// maskOf returns what a word of a block waits for, where is are the tokens pending in
// the output and was those in the input.
func (a *allocator) maskOf(b, i int, is, was bitset) (mask uint8) {
	last := i == a.blocks[b].to-1
	kept := a.method != allAnew && a.unchanged(is, was) && !a.hasFence(i)
	switch {
	case kept && last && a.paced:
		mask = a.withoutForward(i, a.words[i].wait()&^a.tooSoon(b, i, is, was), is) | a.freeWaits(b, is, was, 0)
	case kept && a.method == likeInput:
		mask = a.words[i].wait()
	case kept:
		mask = a.withoutForward(i, a.words[i].wait(), is)
	case a.method == allAnew && (a.words[i].isCollective() || a.words[i].op() == opENDCOLLECTIVE):
		is.each(func(t int) { mask |= 1 << a.tokens[t].now })
	default:
		mask = a.needed(i, is, was)
		if last {
			mask |= a.freeWaits(b, is, was, mask)
		}
	}
	if a.method == likeInput || !kept {
		mask |= a.extraWaits(b, i, is)
	}
	if last {
		mask |= a.afterFences(b, is, mask)
		if a.method != allAnew && a.hasFence(i) {
			mask |= a.waitedBefore(i, was)
		}
	}
	return mask
}

// waitedBefore returns what an EXIT of the input waits for though nothing holds it there any more:
// the branch in front waited too. nvlink keeps that.
func (a *allocator) waitedBefore(i int, was bitset) uint8 {
	mask := a.words[i].wait()
	was.each(func(t int) { mask &^= 1 << a.tokens[t].board })
	return mask
}

// needed returns the scoreboards of the pending tokens that a word needs.
func (a *allocator) needed(i int, is, was bitset) (mask uint8) {
	is.each(func(t int) {
		a.work--
		if a.needs(t, i, was) {
			mask |= 1 << a.tokens[t].now
		}
	})
	return mask
}

// unchanged reports whether the same tokens are pending in the output as in the
// input, under the same numbers.
func (a *allocator) unchanged(is, was bitset) bool {
	for k := range is {
		if is[k] != was[k] {
			return false
		}
	}
	same := true
	is.each(func(t int) { same = same && a.tokens[t].now == a.tokens[t].board })
	return same
}

// addInput puts in the tokens that a word of the input has.
func (f *flow) addInput(set bitset, i int) {
	for _, t := range f.first[i] {
		if !f.tokens[t].fresh {
			set.set(t)
		}
	}
}

// releaseNow removes what a mask of the output makes free.
func (a *allocator) releaseNow(is bitset, mask uint8) {
	if mask == 0 {
		return
	}
	is.each(func(t int) {
		if mask>>a.tokens[t].now&1 != 0 {
			is.drop(t)
		}
	})
}

// masks writes scoreboards and wait masks. A block whose tokens and entry kept
// their numbers keeps its masks.
func (a *allocator) masks() {
	changed := a.changedBlocks()
	masks := make([]uint8, len(a.words))
	for b := range a.blocks {
		if changed[b] {
			a.pass(b, a.out[b].clone(), func(i int, mask uint8) { masks[i] = mask })
		}
	}
	for b := range a.blocks {
		if !changed[b] {
			continue
		}
		waited := a.waitedFor(b)
		if a.write(b, masks) && b != 0 {
			a.doubts |= laterWait
			if a.entersBack(b) {
				a.doubts |= overBack
			}
			if a.lateWaits && a.fenced != nil && a.entersLoop(b) {
				a.doubts |= nearFence // two kernels by nvlink 13.4.92 and 13.5.37 kept the input's
			}
		}
		if a.paced {
			a.findSoon(&a.blocks[b])
		} else if a.crowdsDoubles(b) {
			a.setBlockApart(&a.blocks[b], a.doubleChanges())
		}
		a.spread(b)
		for _, i := range waited {
			if w := &a.words[i]; !w.isWaitedFor(&a.words[i+1]) && w.stall() == apart {
				w.setStall(a.untilGuard(i))
			}
		}
	}
}

// findSoon finds the doubles of a block that stall for less than the next word's wait for them asks for.
func (a *allocator) findSoon(bl *block) {
	if a.soon == nil {
		a.soon = make([]bool, len(a.words))
	}
	for i := bl.from; i+1 < bl.to; i++ {
		w := &a.words[i]
		a.soon[i] = (w.inUnit() || w.isPaced()) && w.stall() < apart && w.isWaitedFor(&a.words[i+1])
	}
}

// waitedFor returns the words of a block of rescheduled code that the next word waits for.
func (a *allocator) waitedFor(b int) (list []int) {
	for i := a.blocks[b].from; (a.method == allAnew || a.paced) && i+1 < a.blocks[b].to; i++ {
		if a.words[i].isWaitedFor(&a.words[i+1]) {
			list = append(list, i)
		}
	}
	return list
}

// changedBlocks returns which blocks that can be reached don't keep their masks.
func (a *allocator) changedBlocks() []bool {
	changed := make([]bool, len(a.blocks))
	changed[0] = true
	for t := range a.tokens {
		if tok := &a.tokens[t]; tok.now != tok.board || tok.dead {
			changed[tok.block] = true
		}
	}
	for b := range a.blocks {
		switch {
		case changed[b]:
		case a.method == allAnew, a.paced, a.hasFence(a.blocks[b].to - 1), a.differs(b):
			changed[b] = true
		case a.lateWaits && a.fenced != nil && a.entersLoop(b):
			changed[b] = true
		default:
			a.out[b].each(func(t int) {
				changed[b] = changed[b] || a.tokens[t].now != a.tokens[t].board
			})
		}
		changed[b] = changed[b] && a.seen[b]
	}
	return changed
}

// write gives the words of a block their wait masks and scoreboards, and reports
// whether any wait changed.
func (a *allocator) write(b int, masks []uint8) (waits bool) {
	for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
		w := &a.words[i]
		waits = waits || masks[i] != w.wait()
		w.setWait(masks[i])
		for _, t := range a.first[i] {
			tok := &a.tokens[t]
			board := tok.now
			if tok.dead {
				board = noBoard
			}
			if tok.read {
				w.setRd(board)
			} else {
				w.setWr(board)
			}
		}
	}
	return waits
}

// entersBack reports whether a token that got another scoreboard enters a block over
// a back edge.
func (a *allocator) entersBack(b int) bool {
	back := false
	a.out[b].each(func(t int) {
		tok := &a.tokens[t]
		back = back || a.rank[tok.block] >= a.rank[b] && (tok.now != tok.board || !a.base[b].has(t))
	})
	return back
}

// apart is the least number of cycles between an instruction that takes a scoreboard
// and the next one where that waits for it.
const apart = 2

// spread keeps two cycles between an instruction that takes a scoreboard and the
// next one where that waits for it: sooner the wait would not see it.
func (a *allocator) spread(b int) {
	bl := &a.blocks[b]
	for i := bl.from; i+1 < bl.to; i++ {
		for _, t := range a.first[i] {
			if tok := &a.tokens[t]; !tok.dead && a.words[i+1].wait()>>tok.now&1 != 0 && a.words[i].stall() < apart {
				a.words[i].setStall(apart)
			}
		}
	}
}

// isWaitedFor reports whether the next word waits for what a word holds.
func (w *word) isWaitedFor(next *word) bool {
	return w.holds(next.wait())
}

// holds reports whether a word holds any of some scoreboards.
func (w *word) holds(mask uint8) bool {
	return (uint8(1)<<w.wr()|uint8(1)<<w.rd())&allBoards&mask != 0
}

// closeUp keeps two cycles between words that stand one behind the other now, since a fence in
// front of an EXIT went, as spread does. What the fence waited for to know its guard the EXIT waits for again.
func closeUp(words []word, gone []bool) {
	for i := range words {
		if w := &words[i]; i == 0 || w.op() != opEXIT || gone[i] || !gone[i-1] {
			continue
		}
		before := i - 1
		for before >= 0 && gone[before] {
			words[i].setWait(words[i].wait() | words[before].wait())
			before--
		}
		if before >= 0 && words[before].stall() < apart && words[before].isWaitedFor(&words[i]) {
			words[before].setStall(apart)
		}
	}
}
