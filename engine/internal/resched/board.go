package resched

// Giving out scoreboards anew. A block is walked in order: first the scoreboards
// that an instruction waits for become free, then its own are given, that of the
// sources before that of the results.
//
//   - A token that is waited for in its block shares a scoreboard whose earliest
//     wait is the same instruction, or takes the lowest free one; results of slow
//     loads not below 2.
//   - One that is waited for later: slow loads take 5, which such a block uses
//     for nothing else; sources share one with other such sources; else the
//     lowest free of 0 to 4 that nobody holds at the entry of a block that the
//     token reaches.
//   - Where none is free, one is shared by a guess: Result.Exact is false.

const (
	slowFirst = 2 // lowest scoreboard of slow loads
	slowBoard = 5 // that of those that leave their block
)

// isSlow reports whether results come from memory or textures.
func (w *word) isSlow() bool {
	switch w.op() {
	case 0x980, 0x981, 0x983, 0x98a, 0x3a8, 0x3a9, 0x9a1, 0x9a3, 0x9a8, 0x9a9, 0x98e, 0xf60, 0xf63, 0xf66, 0xf99:
		return true
	}
	return false
}

// isQuick reports whether results come from the constant bank or special
// registers.
func (w *word) isQuick() bool {
	switch w.op() {
	case opLDC, 0x919, 0x9c3:
		return true
	}
	return false
}

// allocator gives out the scoreboards of a kernel.
type allocator struct {
	*flow
	overflow bool
	later    bool     // a block behind the first changed
	reaches  []bitset // by token: blocks at whose entry it is pending
}

// reallocate gives out the scoreboards of the first block without token dead,
// and of the blocks that this changes.
func (a *allocator) reallocate() {
	nb := len(a.blocks)
	a.reaches = make([]bitset, len(a.tokens))
	for t := range a.tokens {
		a.reaches[t] = newBitset(nb)
	}
	for b := range a.blocks {
		for t := range a.tokens {
			if a.entry[b].has(t) {
				a.reaches[t].set(b)
			}
		}
	}
	todo := []int{0}
	queued := make([]bool, nb)
	queued[0] = true
	for t := range a.tokens {
		for s := 1; a.tokens[t].dead && s < nb; s++ {
			if a.reaches[t].has(s) {
				queued[s] = true
				todo = append(todo, s)
			}
		}
	}
	for rounds := 0; len(todo) > 0 && rounds < 4*nb; rounds++ {
		b := todo[0]
		todo = todo[1:]
		queued[b] = false
		before := a.numbers(b)
		a.walk(b)
		if b != 0 {
			a.later = true
		}
		for t, was := range before {
			if a.tokens[t].now == was {
				continue
			}
			for s := 0; s < nb; s++ {
				if !a.reaches[t].has(s) {
					continue
				}
				if s != b && !queued[s] {
					queued[s] = true
					todo = append(todo, s)
				}
				for o := range a.tokens {
					other := &a.tokens[o]
					if a.entry[s].has(o) && !other.dead && other.now == a.tokens[t].now && other.block > b && !queued[other.block] {
						queued[other.block] = true
						todo = append(todo, other.block)
					}
				}
			}
		}
	}
	a.masks()
}

// numbers returns the scoreboards of a block's tokens.
func (a *allocator) numbers(b int) map[int]int {
	m := make(map[int]int)
	for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
		for _, t := range a.first[i] {
			m[t] = a.tokens[t].now
		}
	}
	return m
}

// beyond reports whether nothing in its block has use for a token.
func (t *token) beyond() bool { return t.point < 0 || t.forced }

// walk gives out the scoreboards of a block.
func (a *allocator) walk(b int) {
	bl := &a.blocks[b]
	var held [boards][]int // tokens by scoreboard
	for t := range a.tokens {
		if a.entry[b].has(t) && !a.tokens[t].dead {
			held[a.tokens[t].now] = append(held[a.tokens[t].now], t)
		}
	}
	reserve := false
	for i := bl.from; i < bl.to; i++ {
		for _, t := range a.first[i] {
			tok := &a.tokens[t]
			reserve = reserve || !tok.dead && !tok.read && tok.beyond() && a.words[i].isSlow()
		}
	}
	for i := bl.from; i < bl.to; i++ {
		for sb := range held {
			kept := held[sb][:0]
			for _, t := range held[sb] {
				if !a.waitsAt(t, i) {
					kept = append(kept, t)
				}
			}
			held[sb] = kept
		}
		for _, t := range a.first[i] {
			tok := &a.tokens[t]
			if tok.dead {
				continue
			}
			tok.now = a.choose(b, t, &held, reserve)
			held[tok.now] = append(held[tok.now], t)
		}
	}
}

// waitsAt reports whether word i waits for a token.
func (a *allocator) waitsAt(t, i int) bool {
	tok := &a.tokens[t]
	if tok.block == a.of[i] && i > tok.at {
		return i == tok.point
	}
	for _, w := range tok.waits {
		if w == i {
			return true
		}
	}
	return false
}

// earliest returns the first word of block b, behind i, that waits for any of
// the tokens.
func (a *allocator) earliest(b, i int, tokens []int) int {
	for j := i + 1; j < a.blocks[b].to; j++ {
		for _, t := range tokens {
			if a.waitsAt(t, j) {
				return j
			}
		}
	}
	return a.blocks[b].to
}

func (a *allocator) choose(b, t int, held *[boards][]int, reserve bool) int {
	tok := &a.tokens[t]
	slow := !tok.read && a.words[tok.at].isSlow()
	if !tok.beyond() {
		low, high := 0, boards
		if slow {
			low = slowFirst
		}
		if reserve {
			high = slowBoard
		}
		for sb := 0; sb < high; sb++ {
			if len(held[sb]) > 0 && a.earliest(b, tok.at, held[sb]) == tok.point && !a.entered(b, held[sb]) {
				return sb
			}
		}
		for sb := low; sb < high; sb++ {
			if len(held[sb]) == 0 {
				return sb
			}
		}
		return a.crowded(b, t, held, low, high)
	}
	if slow && len(tok.waits) == 0 && tok.board != slowBoard {
		// Nobody wants the result.
		for sb := slowFirst; sb < slowBoard; sb++ {
			if len(held[sb]) == 0 {
				return sb
			}
		}
	}
	if slow {
		return slowBoard
	}
	if tok.read {
		for sb := 0; sb < slowBoard; sb++ {
			for _, o := range held[sb] {
				if other := &a.tokens[o]; other.read && other.block == b && other.beyond() {
					return sb
				}
			}
		}
	}
	for sb := 0; sb < slowBoard; sb++ {
		if len(held[sb]) == 0 && !a.metBy(t, sb) {
			return sb
		}
	}
	return a.crowded(b, t, held, 0, slowBoard)
}

// entered reports whether a slow token from an earlier block is among those.
func (a *allocator) entered(b int, tokens []int) bool {
	for _, t := range tokens {
		if a.tokens[t].block != b && a.words[a.tokens[t].at].isSlow() && !a.tokens[t].read {
			return true
		}
	}
	return false
}

// metBy reports whether a token of an earlier block holds sb at the entry of a
// block that t reaches.
func (a *allocator) metBy(t, sb int) bool {
	for b := range a.blocks {
		if !a.reaches[t].has(b) {
			continue
		}
		for o := range a.tokens {
			if a.entry[b].has(o) && !a.tokens[o].dead && a.tokens[o].now == sb && a.tokens[o].block < a.tokens[t].block {
				return true
			}
		}
	}
	return false
}

// crowded chooses where none is free: of the scoreboards whose earliest wait is
// at or behind the token's own the one whose newest holder is oldest, else the
// one that is waited for last.
func (a *allocator) crowded(b, t int, held *[boards][]int, low, high int) int {
	a.overflow = true
	tok := &a.tokens[t]
	own := a.blocks[b].to
	if !tok.beyond() {
		own = tok.point
	}
	best, bestAge := -1, 0
	last, lastWait := 0, -1
	for sb := low; sb < high; sb++ {
		wait := a.earliest(b, tok.at, held[sb])
		age := -1 << 30
		for _, o := range held[sb] {
			at := a.tokens[o].at
			if a.words[at].isQuick() {
				at += 4
			}
			age = max(age, at)
		}
		if wait >= own && (best < 0 || age < bestAge) {
			best, bestAge = sb, age
		}
		if wait > lastWait {
			last, lastWait = sb, wait
		}
	}
	if best >= 0 {
		return best
	}
	return last
}

// masks writes scoreboards and wait masks. A block whose tokens and entry kept
// their numbers keeps its masks.
func (a *allocator) masks() {
	changed := make([]bool, len(a.blocks))
	changed[0] = true
	for t := range a.tokens {
		tok := &a.tokens[t]
		if tok.now == tok.board && !tok.dead {
			continue
		}
		changed[tok.block] = true
		for b := range a.blocks {
			if a.reaches[t].has(b) {
				changed[b] = true
			}
		}
	}
	for b := range a.blocks {
		if !changed[b] {
			continue
		}
		pending := make(map[int]bool)
		for t := range a.tokens {
			if a.entry[b].has(t) && !a.tokens[t].dead {
				pending[t] = true
			}
		}
		for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
			mask := uint8(0)
			for t := range pending {
				if a.waitsAt(t, i) {
					mask |= 1 << a.tokens[t].now
					delete(pending, t)
				}
			}
			w := &a.words[i]
			if w.op() != opCCTL {
				w.setWait(mask)
			}
			for _, t := range a.first[i] {
				tok := &a.tokens[t]
				switch {
				case tok.dead && tok.read:
					w.setRd(noBoard)
				case tok.dead:
					w.setWr(noBoard)
				case tok.read:
					w.setRd(tok.now)
				default:
					w.setWr(tok.now)
				}
				if !tok.dead {
					pending[t] = true
				}
			}
		}
	}
}
