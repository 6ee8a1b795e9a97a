package resched

import "slices"

// Releases from 13.1 on. The stack pointer's scoreboard is held in the input until a
// loop begins, mostly all through the kernel, so that scoreboards change everywhere.
// In kernels of few blocks these releases give them out as 13.0 does, but for this:
//
//   - The last word of a block waits for what is complete only before a loop; then
//     also for what earlier blocks left, but results of slow loads.
//   - Where the input shared a scoreboard on purpose the output does; what had one of
//     its own gets the lowest that is free. Scoreboards that the choice in the input
//     passed over, because where the token is pending others held them, are passed
//     over again.
//
// In others the first holds too. The order of blocks is that of 13.0 (order.go), and so
// are the choices here, which is not the whole truth: nothing is promised of them.
//
// Source: 101 kernels of HeCBench through nvlink 13.5.37; for more blocks 74 generated
// ones and 40 programs of HeCBench.

// fewBlocks is the most blocks of a kernel of which the bytes are promised, the trap
// after its end counted in.
const fewBlocks = 5

// isSimple reports whether a kernel has few blocks.
func (f *flow) isSimple() bool {
	n := 0
	for b := range f.blocks {
		if f.seen[b] || f.words[f.blocks[b].from].op() == opBRA {
			n++
		}
	}
	return n <= fewBlocks
}

// entersLoop reports whether a block is followed by a loop that it isn't part of.
func (a *allocator) entersLoop(b int) bool {
	for _, s := range a.blocks[b].next {
		if s > b && slices.ContainsFunc(a.before[s], func(p int) bool { return p >= s }) {
			return true
		}
	}
	return false
}

// isFreeLate is isFree of these releases. was are the tokens pending in the input.
func (a *allocator) isFreeLate(b, t int, was bitset) bool {
	tok := &a.tokens[t]
	last := a.blocks[b].to - 1
	if was.has(t) && tok.block == b && a.isYoungest(t, was) {
		return a.words[last].wait()>>tok.board&1 != 0
	}
	if tok.slow || !a.entersLoop(b) {
		return false
	}
	return tok.block != b || a.time[last]-a.time[tok.at] >= a.freeFrom(t)
}

// isYoungest reports whether no later word of its block holds a token's scoreboard in
// the input.
func (a *allocator) isYoungest(t int, was bitset) bool {
	tok := &a.tokens[t]
	young := true
	was.each(func(o int) {
		other := &a.tokens[o]
		young = young && !(other.board == tok.board && other.block == tok.block && other.at > tok.at)
	})
	return young
}

// chooseLate returns the scoreboard that the input's choice leads to, -1 for none.
func (a *allocator) chooseLate(b, t int, held *holders, ownUpTo int) int {
	tok := &a.tokens[t]
	was := a.inputHolders(t)
	shared, withDead := a.living(was[tok.board])
	low, high := a.lowest, boards
	switch {
	case tok.slow && tok.beyond() && tok.board == slowBoard:
		return slowBoard
	case tok.slow && (tok.board >= slowFirst || len(shared) > 0 || withDead):
		low = slowFirst
	}
	switch {
	case !tok.beyond():
		high = ownUpTo
		if a.counted[slowBoard] {
			high = min(high, slowBoard)
		}
	case !tok.slow:
		high = slowBoard
	}
	crowded := true // in the input
	for sb := low; sb < high; sb++ {
		crowded = crowded && len(was[sb]) > 0
	}
	if len(shared) == 0 || crowded && withDead {
		return a.lowestFree(t, held, low, high, was)
	}
	for sb := range held {
		if !sameTokens(held[sb], shared) {
			continue
		}
		if crowded && (tok.beyond() || a.earliest(b, tok.at, shared) != tok.point) {
			if free := a.lowestFree(t, held, low, high, was); free >= 0 {
				return free
			}
		}
		return sb
	}
	return -1
}

// living returns tokens without the one that is taken away, and whether that was among
// them.
func (a *allocator) living(tokens []int) (list []int, withDead bool) {
	for _, o := range tokens {
		if a.tokens[o].dead {
			withDead = true
		} else {
			list = append(list, o)
		}
	}
	return list, withDead
}

// lowestFree returns the lowest scoreboard that is free, but those that a token avoids;
// -1 for none. was are the holders in the input.
func (a *allocator) lowestFree(t int, held *holders, low, high int, was *holders) int {
	var avoid [boards]bool
	if a.tokens[t].beyond() {
		a.passedOver(t, low, was, &avoid)
		if len(a.meets(t, a.tokens[t].board)) == 0 && !(a.tokens[t].read && a.endsWithResult(t)) {
			for sb := low; sb < high; sb++ {
				avoid[sb] = avoid[sb] || a.metByLate(t, sb)
			}
		}
	}
	for sb := low; sb < high; sb++ {
		if len(held[sb]) == 0 && !avoid[sb] {
			return sb
		}
	}
	return -1
}

// passedOver marks what holds now the scoreboards that were free in the input and not
// taken: those of earlier blocks explain it, else those of later ones do.
func (a *allocator) passedOver(t, low int, was *holders, avoid *[boards]bool) {
	tok := &a.tokens[t]
	for sb := low; sb < tok.board; sb++ {
		if len(was[sb]) > 0 {
			continue
		}
		met := a.meets(t, sb)
		isEarlier := func(o int) bool { return a.tokens[o].block < tok.block }
		explained := slices.ContainsFunc(met, isEarlier)
		for _, o := range met {
			if (!explained || isEarlier(o)) && !a.complete.has(o) {
				avoid[a.tokens[o].now] = true
			}
		}
	}
}

// meets returns the tokens that hold a scoreboard in the input at the entry of some
// block where t is pending.
func (a *allocator) meets(t, sb int) (list []int) {
	met := newBitset(len(a.tokens))
	for b := range a.entry {
		a.work--
		if a.entry[b].has(t) {
			met.join(a.entry[b])
		}
	}
	met.each(func(o int) {
		if other := &a.tokens[o]; o != t && other.board == sb && !other.dead {
			list = append(list, o)
		}
	})
	return list
}

// inputHolders returns which earlier tokens hold each scoreboard in the input where t
// is taken.
func (a *allocator) inputHolders(t int) *holders {
	tok := &a.tokens[t]
	was := new(holders)
	pending := a.was.clone()
	a.release(pending, a.words[tok.at].wait())
	pending.each(func(o int) {
		if other := &a.tokens[o]; other.block < tok.block || other.block == tok.block && other.at < tok.at {
			was[other.board] = append(was[other.board], o)
		}
	})
	for _, o := range a.first[tok.at] {
		if o < t {
			was[a.tokens[o].board] = append(was[a.tokens[o].board], o)
		}
	}
	return was
}

func sameTokens(x, y []int) bool {
	x, y = slices.Clone(x), slices.Clone(y)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// findForward finds what words wait for if nothing comes over a back edge.

func (a *allocator) findForward() {
	a.forward = nil
	masks := make([]uint8, len(a.words))
	entry := make([]bitset, len(a.blocks))
	for b := range entry {
		entry[b] = newBitset(len(a.tokens))
	}
	for b := range a.blocks {
		if !a.seen[b] {
			continue
		}
		is := entry[b].clone()
		a.pass(b, is, func(i int, mask uint8) { masks[i] = mask })
		for _, s := range a.blocks[b].next {
			if s > b {
				entry[s].join(is)
			}
		}
	}
	a.forward = masks
}
