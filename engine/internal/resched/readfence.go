package resched

import "slices"

// What is before a new fence, in a block after the first.

// freeAtFence is freeFrom for a new fence, which takes the sources of a RED for read sooner.
func (a *allocator) freeAtFence(t int) int {
	const opRED = 0x98e
	if tok := &a.tokens[t]; tok.read && a.words[tok.at].op() == opRED {
		return a.freeFrom(t) - 1
	}
	return a.freeFrom(t)
}

// isReadBefore reports whether sources are read by the end of a new fence in a block after the
// first. Its own time counts, and what is before it counts by the clock that waits shorten.
// Source: some 350 guarded EXITs of kernels of our own put to nvlink 13.0.88. What they don't
// agree about is in doubt.
func (a *allocator) isReadBefore(t, fence int, was bitset) bool {
	const laterFence = 7
	tok := &a.tokens[t]
	least := a.freeAtFence(t) - laterFence
	if a.isUnsureRead(t, fence) {
		a.doubts |= nearFence
	}
	if a.time[fence]-a.time[tok.at] < least {
		return false
	}
	cycles := a.leastCycles(tok.block, tok.at, fence)
	if !a.isReadBy(t, fence, cycles, least) {
		return false
	}
	if cycles < allRead && a.isUnsureWait(t, cycles == least, was) {
		a.doubts |= nearFence
	}
	return true
}

// isReadSooner reports whether sources are read by a fence by the clock that waits shorten.
func (a *allocator) isReadSooner(t, fence, least int) bool {
	tok := &a.tokens[t]
	return a.isReadBy(t, fence, a.leastCycles(tok.block, tok.at, fence), least)
}

// isReadBy is isReadSooner, told how long that clock takes to the fence. After
// a BAR that was seen to be so and not.
func (a *allocator) isReadBy(t, fence, cycles, least int) bool {
	if cycles >= least {
		return true
	}
	if slices.ContainsFunc(a.words[a.tokens[t].at:fence], func(w word) bool { return w.op() == opBAR }) {
		a.doubts |= nearFence
	}
	return false
}

// isShuffledBefore reports whether the result of a shuffle is complete by the end of a new fence there.
// Source: 145 of kernels of our own put to nvlink 13.0.88, of which one cycle sooner one of two was.
func (a *allocator) isShuffledBefore(t, fence int) bool {
	const least = 19
	cycles := a.leastCycles(a.tokens[t].block, a.tokens[t].at, fence)
	if cycles == least-1 {
		a.doubts |= nearFence
	}
	return cycles >= least
}

// isUnsureRead reports whether a token is of stores to local or to generic memory or of an
// asynchronous copy, or a fence of the program's own comes in between.
func (a *allocator) isUnsureRead(t, fence int) bool {
	at := a.tokens[t].at
	switch a.words[at].op() {
	case 0x387, 0x987, 0x385, 0x985, opLDGSTS: // STL, ST
		if a.time[fence]-a.time[at] < allRead {
			return true
		}
	}
	return slices.ContainsFunc(a.words[at:max(at, fence)], func(w word) bool { return w.op() == opMEMBAR })
}

// isUnsureWait reports whether a wait for sources that are read was seen omitted: of guarded
// instructions, where others share the scoreboard, of shuffles right in front, and of stores to
// shared memory at a uniform address.
func (a *allocator) isUnsureWait(t int, close bool, was bitset) bool {
	const always = 7
	w := &a.words[a.tokens[t].at]
	return w.guard() != always || w.op() == opSTSUniform || close && w.kind() == kindShuffle || !a.alone(t, was)
}

// leastCycles is cycles by the clock that waits shorten.
func (a *allocator) leastCycles(b, from, to int) int {
	if a.same == nil {
		a.same = a.noChanges(&Options{})
	}
	bl := &a.blocks[b]
	a.work -= bl.to - bl.from
	clock := a.clockBy(bl, a.leastPauses(bl))
	return clock[to-bl.from] - clock[from-bl.from]
}
