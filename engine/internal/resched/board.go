package resched

// Giving out scoreboards again. A block is walked in order: what an instruction
// waits for becomes free, with all that share its scoreboard; then the
// instruction's own are given, that of the sources before that of the results.
//
//   - A token that its block needs shares a scoreboard whose earliest wait is the
//     same instruction, or takes the lowest free one; results of slow loads not
//     below 2.
//   - One that goes beyond its block: slow loads take 5, which such a block uses
//     for nothing else; sources share one with other such sources; else the
//     lowest free that nobody holds at the entry of a block right after, 5 only in
//     kernels without slow loads. In which order blocks are looked at: order.go.
//   - Where none is free, the one is shared that costs the fewest cycles.
//   - What textures give takes 5, which a kernel with textures uses for nothing
//     that its block needs; slow loads that go beyond their block take 4 there.
//   - A kernel that counts copies by scoreboard 0 uses it for nothing else.

const (
	slowFirst = 2 // lowest scoreboard of slow loads
	slowBoard = 5 // that of those that leave their block
)

// beyond reports whether nothing in its block needs a token.
func (t *token) beyond() bool { return t.point < 0 }

// holders are the tokens that hold each scoreboard.
type holders [boards][]int

// choose returns the scoreboard that the rules give a token.
// below high the block takes those for what it needs itself.
func (a *allocator) choose(b, t int, held *holders, high int) int {
	if sb := a.fixed(t); sb >= 0 {
		return sb
	}
	if a.method == likeInput {
		if sb := a.chooseLate(b, t, held, high); sb >= 0 {
			return sb
		}
		a.doubts |= noModel
	}
	switch tok := &a.tokens[t]; {
	case !tok.beyond():
		return a.chooseInside(b, t, held, high)
	case tok.slow:
		return a.chooseSlow(t, held)
	}
	return a.chooseBeyond(b, t, held)
}

// fixed returns the scoreboard of a token that has no choice, -1 for others: counts stay
// on theirs, textures have one of their own.
func (a *allocator) fixed(t int) int {
	tok := &a.tokens[t]
	if a.counted[tok.board] {
		return tok.board
	}
	if w := &a.words[tok.at]; !tok.read && (w.isTexture() || a.method == allAnew && w.op() == opSULD) {
		return slowBoard
	}
	return -1
}

// lowestOf returns the lowest scoreboard from low on and below high of which ok is
// true, -1 for none.
func lowestOf(low, high int, ok func(sb int) bool) int {
	for sb := low; sb < high; sb++ {
		if ok(sb) {
			return sb
		}
	}
	return -1
}

// chooseInside chooses for a token that its block needs.
func (a *allocator) chooseInside(b, t int, held *holders, high int) int {
	tok := &a.tokens[t]
	low := a.lowest
	if a.counted[slowBoard] {
		high = min(high, slowBoard)
	}
	if sb := lowestOf(low, high, func(sb int) bool {
		return a.waitsAlike(b, t, held[sb]) || a.method == allAnew && a.returnsWith(t, held[sb])
	}); sb >= 0 {
		return sb
	}
	if tok.slow {
		low = slowFirst
	}
	if sb := lowestOf(a.lowest, high, func(sb int) bool {
		return sb >= low && len(held[sb]) == 0
	}); sb >= 0 {
		return sb
	}
	return a.crowded(b, t, held, low, high)
}

// waitsAlike reports whether the first wait for those that hold a scoreboard is that for
// a token, which may share it then.
func (a *allocator) waitsAlike(b, t int, tokens []int) bool {
	tok := &a.tokens[t]
	return len(tokens) > 0 && a.earliest(b, tok.at, tokens) == tok.point && !a.entered(b, tokens) && !a.own(tok.at, tokens)
}

// chooseSlow chooses for the results of a slow load that go beyond their block.
func (a *allocator) chooseSlow(t int, held *holders) int {
	last := a.crossing()
	if a.tokens[t].board == slowBoard || a.isWanted(t) {
		return last
	}
	if sb := lowestOf(slowFirst, last, func(sb int) bool { return len(held[sb]) == 0 && !(a.method == allAnew && a.metBy(t, sb)) }); sb >= 0 {
		return sb
	}
	return last
}

// chooseBeyond chooses for another token that goes beyond its block.
func (a *allocator) chooseBeyond(b, t int, held *holders) int {
	read := a.tokens[t].read
	low, high := a.lowest, boards
	switch {
	case a.hasLoads:
		high = a.crossing()
	case a.textures:
		high = slowBoard
	}
	if read {
		if sb := lowestOf(low, high, func(sb int) bool { return a.sources(b, held[sb]) && (a.method != allAnew || a.far(b, held[sb])) }); sb >= 0 {
			return sb
		}
	}
	if read && a.leavesLast && a.isLast(b, held) {
		return a.crowded(b, t, held, low, high)
	}
	ended := read && a.method != allAnew && a.endsWithResult(t)
	if sb := lowestOf(low, high, func(sb int) bool { return len(held[sb]) == 0 && (ended || !a.metBy(t, sb)) }); sb >= 0 {
		return sb
	}
	if sb := lowestOf(low, high, func(sb int) bool { return len(held[sb]) == 0 }); sb >= 0 {
		return sb
	}
	return a.crowded(b, t, held, low, high)
}

// isLast reports whether what block b leaves holds all scoreboards but one, which sources that go beyond it
// leave to others.
func (a *allocator) isLast(b int, held *holders) bool {
	left, high := 0, a.ownUpTo(b)
	for sb := a.lowest; sb < high; sb++ {
		if !a.isLeft(b, held[sb]) {
			left++
		}
	}
	return left == 1
}

// isLeft reports whether those are tokens of block b that nothing in the block needs.
func (a *allocator) isLeft(b int, tokens []int) bool {
	for _, t := range tokens {
		if tok := &a.tokens[t]; tok.block != b || !tok.beyond() && a.words[tok.point].op() != opRET {
			return false
		}
	}
	return len(tokens) > 0
}

// sources reports whether those are sources of block b that go beyond it, up to a return for rescheduled code.
func (a *allocator) sources(b int, tokens []int) bool {
	for _, t := range tokens {
		if tok := &a.tokens[t]; !tok.read || tok.block != b || !tok.beyond() && !(a.method == allAnew && a.words[tok.point].op() == opRET) {
			return false
		}
	}
	return len(tokens) > 0
}

// earliest returns the first word of block b, after i, that needs any of the
// tokens; the block's end if none does.
func (a *allocator) earliest(b, i int, tokens []int) int {
	at := a.blocks[b].to
	for _, t := range tokens {
		if p := a.pointIn(b, t); p > i {
			at = min(at, p)
		}
	}
	return at
}

// pointIn returns the word of block b that needs a token, the block's end for
// none.
func (a *allocator) pointIn(b, t int) int {
	switch tok := &a.tokens[t]; {
	case tok.block != b:
		if p := a.firstNeed(b, t); p >= 0 {
			return p
		}
	case tok.point >= 0:
		return tok.point
	}
	return a.blocks[b].to
}

// own reports whether a token of word i is among those: the results of an
// instruction don't share the scoreboard of its sources.
func (a *allocator) own(i int, tokens []int) bool {
	for _, t := range tokens {
		if a.tokens[t].at == i {
			return true
		}
	}
	return false
}

// entered reports whether a slow token from another block is among those.
func (a *allocator) entered(b int, tokens []int) bool {
	for _, t := range tokens {
		if a.tokens[t].block != b && a.tokens[t].slow {
			return true
		}
	}
	return false
}

// endsWithResult reports whether the results of the instruction that holds t are
// waited for in its block: then its sources have been read.
func (a *allocator) endsWithResult(t int) bool {
	for _, o := range a.first[a.tokens[t].at] {
		other := &a.tokens[o]
		if other.read {
			continue
		}
		if !other.beyond() {
			return true
		}
		if a.paced && other.fresh && a.freed[o] {
			return false
		}
		next := a.blocks[other.block].next
		for _, s := range next {
			if a.firstNeed(s, o) != a.blocks[s].from {
				return false
			}
		}
		return len(next) > 0
	}
	return false
}
