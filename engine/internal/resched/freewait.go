package resched

// Waits at the end of a block. A token that nothing in its block needs is waited
// for by the block's last word where, by the stalls in between, it must be
// complete by then: the wait costs nothing. Otherwise it crosses into the next
// block. Results of slow loads always cross.
//
// Where the token alone holds its scoreboard in the input, the input tells.

// freeFrom is the least number of cycles, by the stalls alone, from an instruction to a fence or
// to a loop for a free wait there. Source: code of our own put to nvlink 13.0.88, with one
// cycle more between the two at a time; LDC and S2R are of 990 functions.
func (a *allocator) freeFrom(t int) int {
	tok := &a.tokens[t]
	w := &a.words[tok.at]
	if a.paced && w.isPaced() {
		return inUnit
	}
	if tok.read {
		return w.sourcesRead()
	}
	if w.isIMMA() {
		return pace
	}
	switch w.kind() {
	case kindDouble:
		return 2
	case kindLDC:
		return 20
	case kindLDS:
		return 40
	case kindS2R:
		return 14
	case kindShuffle:
		return 24
	case kindMUFU:
		if a.paced {
			return latestMUFU
		}
		return 17
	case kindCount, kindConvert:
		return 15
	}
	return 12
}

// sourcesRead is how many cycles an instruction holds the scoreboard of its
// sources.
func (w *word) sourcesRead() int {
	switch w.op() {
	case opIMMA:
		return matrixRead + matrixReadDeep*int(w.field(deepBit, 1))
	case 0x986, 0x385, 0x985: // STG, ST
		switch w.field(73, 3) {
		case 5:
			return 14
		case 6, 7:
			return 18
		}
		return 12
	case opSTS, opSTSUniform:
		switch w.field(73, 3) {
		case 5:
			return 12
		case 6, 7:
			return 16
		}
		return 10
	case 0x981, 0x980, 0x38c, 0x98c:
		return 10
	case opCCTL:
		return 12
	case 0x983, opLDS, 0x389, 0x589, 0x989, 0xf89:
		return 8
	}
	switch w.kind() {
	case kindMUFU, kindCount, kindConvert:
		return 9
	case kindDouble:
		return 2
	}
	return 13
}

// inUnit is freeFrom of doubles on sm_103.
const inUnit = 2

// isFree reports whether the last word of a block waits for a token that its
// block doesn't need. was are the tokens pending there in the input; is those
// that share its scoreboard in the output, nil for itself alone.
func (a *allocator) isFree(b, t int, was, is bitset) bool {
	tok := &a.tokens[t]
	last := a.blocks[b].to - 1
	switch {
	case a.method == allAnew:
		return a.isFreeAnew(b, t)
	case a.hasFence(last) && !a.lateWaits:
		return a.isFreeAtFence(b, t, was)
	}
	if waits, told := a.freeInInput(b, t, was, is); told {
		return waits
	}
	switch {
	case a.lateWaits:
		return a.isFreeLate(b, t, was)
	case tok.block != b:
		return a.isOverBackEdge(b, t)
	case tok.slow, tok.fresh && a.words[last].op() == opBSYNC:
		return false
	case a.words[last].op() == opEXIT && !a.words[last].fallsThrough():
		return false
	case a.words[last].op() == opEXIT && !tok.read && hasUniform(a.ops[tok.at].writes):
		return true
	}
	return a.isCompleteAt(b, t, last)
}

// freeInInput reports whether the last word of a block waits for a token in the input.
// That tells of the output where the token alone holds its scoreboard, or the same
// tokens do; where the token stands later than in the input, a wait there tells nothing.
func (a *allocator) freeInInput(b, t int, was, is bitset) (waits, told bool) {
	if !was.has(t) {
		return false, false
	}
	tok := &a.tokens[t]
	withStack := was.has(0) && tok.board == a.tokens[0].board // the stack pointer's, which goes
	alone := !withStack && (tok.block != b || a.isYoungest(t, was))
	if !alone && !a.sameGroup(t, was, is) {
		return false, false
	}
	last := a.blocks[b].to - 1
	waits = a.words[last].wait()>>tok.board&1 != 0
	if waits && a.paced && is != nil && a.lostSharer(b, t, was, is) {
		return false, false
	}
	isQuicker := a.paced && a.words[tok.at].isPaced()
	if a.isLateMUFU(b, t) {
		return false, true
	}
	return waits, waits || tok.block != b || !isQuicker && !a.hasMoved(tok.at, last) && !(a.apart && last+1 < len(a.words) && a.words[last+1].isCall())
}

// lostSharer reports whether another that shared a token's scoreboard in the input doesn't any more, and was why block b
// waited there: one of the block itself, or of an earlier one.
func (a *allocator) lostSharer(b, t int, was, is bitset) (lost bool) {
	tok := &a.tokens[t]
	was.each(func(o int) {
		other := &a.tokens[o]
		counts := a.rank[other.block] < a.rank[tok.block] || tok.block != b && other.block == b
		lost = lost || counts && other.board == tok.board && !other.dead && !(is.has(o) && other.now == tok.now)
	})
	return lost
}

// hasMoved reports whether a word of code for sm_103 stands farther after another than on sm_100.
func (a *allocator) hasMoved(at, to int) bool {
	return a.paced && a.time[to]-a.time[at] != a.timeWas[to]-a.timeWas[at]
}

// isCompleteAt reports whether a token of a block is complete at a later word, by a clock that
// waits advance.
func (a *allocator) isCompleteAt(b, t, at int) bool {
	return a.cycles(b, a.tokens[t].at, at) >= a.latency(t)
}

// isOverBackEdge reports whether a token comes to a block over a back edge right there.
func (a *allocator) isOverBackEdge(b, t int) bool {
	if a.rank[a.tokens[t].block] <= a.rank[b] {
		return false
	}
	for _, p := range a.before[b] {
		if a.rank[p] >= a.rank[b] {
			return true
		}
	}
	return false
}

// isFreeAtFence is isFree for an EXIT with a new fence: the time that the fence
// takes doesn't count. Source: 4,000 kernels linked by nvlink 13.0.88 with -g.
func (a *allocator) isFreeAtFence(b, t int, was bitset) bool {
	tok := &a.tokens[t]
	last := a.blocks[b].to - 1
	waits := a.words[last].wait()>>tok.board&1 != 0
	switch {
	case waits && was.has(t):
		return true
	case tok.block != b:
		if tok.at == 0 && !waits && !a.alone(t, was) {
			a.doubts |= nearFence // the stack pointer's, seen to be waited for and not
		}
		return a.method != likeInput && a.isOverBackEdge(b, t)
	case tok.slow || last-a.fenceWords < tok.at:
		return false
	}
	fence := last - a.fenceWords
	if a.words[tok.at].kind() == kindLDC && !tok.read && fence >= a.blocks[b].from {
		return a.isLoadedAt(b, t, fence)
	}
	return a.isFreeBefore(t, fence, was)
}

// isLoadedAt reports whether the result of an LDC is complete at a fence.
func (a *allocator) isLoadedAt(b, t, fence int) bool {
	cycles := a.cycles(b, a.tokens[t].at, fence)
	if cycles > freeLDC-unsureLDC && cycles < freeLDC+unsureLDC {
		a.doubts |= nearFence
	}
	return cycles >= freeLDC
}

// isFreeBefore reports whether another token is complete at a fence.
func (a *allocator) isFreeBefore(t, fence int, was bitset) bool {
	tok := &a.tokens[t]
	w := &a.words[tok.at]
	cycles, free := a.time[fence]-a.time[tok.at], a.freeAtFence(t)-fenceCycles
	if op := w.op(); tok.read && (op == opATOMS || op == opATOMSUniform) && cycles > free-unsureAtomic && cycles < allRead {
		a.doubts |= nearFence
	}
	switch {
	case !tok.read && tok.block > 0 && w.kind() == kindShuffle:
		return a.isShuffledBefore(t, fence)
	case !tok.read:
		return cycles >= free && w.op() != opSYNCS
	case tok.block > 0:
		return a.isReadBefore(t, fence, was)
	case cycles >= free:
		return a.isReadSooner(t, fence, free)
	}
	if cycles >= unsureRead && a.followsSame(t) {
		a.doubts |= nearFence
		return cycles >= free-soonStore || w.storesShared()
	}
	return false
}

// unsureAtomic is how many cycles sooner a fence was seen to wait for the sources of an
// atomic of shared memory, and later not to; all are read after allRead.
const (
	unsureAtomic = 8
	allRead      = 20
)

// fenceCycles is how much sooner a wait after a fence is free. In the first block the last of
// several stores in a row is mostly waited for sooner: to memory by soonStore, to shared
// memory from unsureRead cycles on.
const (
	fenceCycles = 2
	unsureRead  = 6
	soonStore   = 2
)

// freeLDC is freeFrom of an LDC at a fence, by a clock that waits advance; so near
// it the clock isn't good enough.
const (
	freeLDC   = 54
	unsureLDC = 17
)

// followsSame reports whether the word before a token's is another of its
// kind that holds its sources.
func (a *allocator) followsSame(t int) bool {
	at := a.tokens[t].at
	return at > 0 && a.words[at-1].op() == a.words[at].op() && a.words[at-1].rd() != noBoard
}

// sameGroup reports whether a token shares its scoreboard with the same others in
// the input and in the output.
func (a *allocator) sameGroup(t int, was, is bitset) bool {
	if is == nil {
		return a.alone(t, was)
	}
	tok := &a.tokens[t]
	same := true
	for o := range a.tokens {
		other := &a.tokens[o]
		before := other.board == tok.board && was.has(o)
		after := other.now == tok.now && is.has(o)
		same = same && before == after
	}
	return same
}

// freeWaits returns the scoreboards that the last word of a block waits for
// though it doesn't need them: those whose youngest token is complete. is are
// the tokens pending in the output, mask what the word needs.
func (a *allocator) freeWaits(b int, is, was bitset, mask uint8) uint8 {
	if a.method == allAnew {
		return a.freeWaitsAnew(b, is) &^ mask
	}
	var youngest [noBoard + 1]int
	for sb := range youngest {
		youngest[sb] = -1
	}
	is.each(func(t int) {
		tok := &a.tokens[t]
		y := youngest[tok.now]
		switch {
		case y < 0, tok.block == b && (a.tokens[y].block != b || a.tokens[y].at <= tok.at):
			youngest[tok.now] = t
		case tok.block != b && a.tokens[y].block != b && a.isOverBackEdge(b, t):
			youngest[tok.now] = t // it is waited for whatever else holds that scoreboard
		}
	})
	free := uint8(0)
	if a.paced {
		for _, t := range a.first[a.blocks[b].to-1] {
			youngest[a.tokens[t].now] = -1 // it is held from now on
		}
	}
	for sb, t := range youngest[:boards] {
		if t >= 0 && mask>>sb&1 == 0 && a.isFree(b, t, was, is) {
			free |= 1 << sb
		}
	}
	return free
}

// findFreed finds the tokens that the last word of their block waits for if they
// hold their scoreboards alone.
func (a *allocator) findFreed() {
	a.freed = make([]bool, len(a.tokens))
	for b := range a.blocks {
		if !a.seen[b] {
			continue
		}
		was := a.entry[b].clone()
		last := a.blocks[b].to - 1
		for i := a.blocks[b].from; i < last; i++ {
			a.release(was, a.words[i].wait())
			a.addInput(was, i)
		}
		for i := a.blocks[b].from; i < last; i++ {
			for _, t := range a.first[i] {
				a.freed[t] = a.tokens[t].beyond() && a.isFree(b, t, was, nil)
			}
		}
	}
}
