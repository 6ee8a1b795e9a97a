package resched

import "slices"

// Giving out scoreboards anew. A block is walked in order: what an instruction
// waits for becomes free, with all that share its scoreboard; then the
// instruction's own are given, that of the sources before that of the results.
//
//   - A token that its block needs shares a scoreboard whose earliest wait is the
//     same instruction, or takes the lowest free one; results of slow loads not
//     below 2.
//   - One that goes beyond its block: slow loads take 5, which such a block uses
//     for nothing else; sources share one with other such sources; else the
//     lowest free that nobody holds at the entry of a block right behind, 5 only in
//     kernels without slow loads. In which order blocks are looked at: order.go.
//   - Where none is free, the one is shared that costs the fewest cycles.
//   - What textures give takes 5, which a kernel with textures uses for nothing
//     that its block needs.
//   - A kernel that counts copies by scoreboard 0 uses it for nothing else.

const (
	slowFirst = 2 // lowest scoreboard of slow loads
	slowBoard = 5 // that of those that leave their block
)

// beyond reports whether nothing in its block needs a token.
func (t *token) beyond() bool { return t.point < 0 }

// holders are the tokens that hold each scoreboard.
type holders [boards][]int

func (a *allocator) choose(b, t int, held *holders, reserve bool) int {
	tok := &a.tokens[t]
	low, high := a.lowest, boards
	if a.counted[tok.board] {
		return tok.board
	}
	if w := &a.words[tok.at]; !tok.read && (w.isTexture() || a.anew && w.op() == opSULD) {
		return slowBoard
	}
	if a.late {
		if sb := a.chooseLate(b, t, held, reserve); sb >= 0 {
			return sb
		}
		a.doubts |= noModel
	}
	if !tok.beyond() {
		if reserve || a.counted[slowBoard] {
			high = slowBoard
		}
		for sb := low; sb < high; sb++ {
			if len(held[sb]) > 0 && a.earliest(b, tok.at, held[sb]) == tok.point && !a.entered(b, held[sb]) && !a.own(tok.at, held[sb]) {
				return sb
			}
		}
		if tok.slow {
			low = slowFirst
		}
		for sb := low; sb < high; sb++ {
			if len(held[sb]) == 0 || a.anew && a.returnsWith(t, held[sb]) {
				return sb
			}
		}
		return a.crowded(b, t, held, low, high)
	}
	if tok.slow {
		if tok.board != slowBoard && !a.isWanted(t) {
			for sb := slowFirst; sb < slowBoard; sb++ {
				if len(held[sb]) == 0 {
					return sb
				}
			}
		}
		return slowBoard
	}
	if a.hasSlow {
		high = slowBoard
	}
	if tok.read {
		for sb := low; sb < high; sb++ {
			if a.sources(b, held[sb]) && (!a.anew || a.far(b, held[sb])) {
				return sb
			}
		}
	}
	free := tok.read && a.endsWithResult(t)
	for sb := low; sb < high; sb++ {
		if len(held[sb]) == 0 && (free || !a.metBy(t, sb)) {
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

// sources reports whether those are sources of block b that go beyond it.
func (a *allocator) sources(b int, tokens []int) bool {
	for _, t := range tokens {
		if tok := &a.tokens[t]; !tok.read || tok.block != b || !tok.beyond() {
			return false
		}
	}
	return len(tokens) > 0
}

// earliest returns the first word of block b, behind i, that needs any of the
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

// latencies say how many cycles a token holds its scoreboard, about. Source: the
// choices of ptxas and nvlink 13.0.88 where no scoreboard was free.
var latencies = [...]int{kindSlow: 500, kindS2R: 45, kindS2UR: 30, kindLDS: 40, kindLDC: 80, kindLDCU: 22, kindShuffle: 24, kindDouble: 2, kindCount: 15, kindConvert: 15, kindMUFU: 17, kindOther: 20}

// latency is how many cycles a token holds its scoreboard, about.
func (a *allocator) latency(t int) int {
	tok := &a.tokens[t]
	if tok.read {
		return a.words[tok.at].sourcesRead()
	}
	kind := a.words[tok.at].kind()
	if a.anew && kind == kindLDC {
		return 47
	}
	return latencies[kind]
}

// clockOf is clock, made once.
func (a *allocator) clockOf(b int) []int {
	if a.clocks[b] == nil {
		a.clocks[b] = a.clock(b)
	}
	return a.clocks[b]
}

// cycles returns how long after a word of a block a later one starts, waits included.
func (a *allocator) cycles(b, from, to int) int {
	clock, first := a.clockOf(b), a.blocks[b].from
	return clock[to-first] - clock[from-first]
}

// clock returns when each word of a block starts, by stalls and by the waits
// for the block's own tokens, and the end.
func (a *allocator) clock(b int) []int {
	bl := &a.blocks[b]
	at := make([]int, bl.to-bl.from+1)
	ready := make(map[int]int)
	for i := bl.from; i <= bl.to; i++ {
		k := i - bl.from
		if k > 0 {
			at[k] = at[k-1] + max(1, a.words[i-1].stall())
		}
		if r, ok := ready[i]; ok {
			at[k] = max(at[k], r)
		}
		if i == bl.to {
			break
		}
		for _, t := range a.first[i] {
			if p := a.tokens[t].point; p > i && !a.tokens[t].dead {
				ready[p] = max(ready[p], at[k]+a.latency(t))
			}
		}
	}
	return at
}

// asInput returns the scoreboard that now is held by the same tokens as the one
// that t has in the input was there, -1 for none: what cost the fewest cycles then
// still does. alike reports that all scoreboards are held by the same tokens as in
// the input, but for their numbers.
func (a *allocator) asInput(t int, held *holders) (sb int, alike bool) {
	tok := &a.tokens[t]
	sb = -1
	var was [noBoard + 1][]int
	free := true
	a.was.each(func(o int) {
		free = free && !a.tokens[o].dead
		if other := &a.tokens[o]; !other.dead && (a.rank[other.block] < a.rank[tok.block] || other.block == tok.block && other.at < tok.at) {
			was[a.tokens[o].board] = append(was[a.tokens[o].board], o)
		}
	})
	const settled = 30 // cycles after which the one that went costs nothing
	if a.late {
		if _, withDead := a.living(a.inputHolders(t)[tok.board]); withDead {
			return -1, false
		}
	} else if !free && (tok.beyond() || a.time[tok.at] <= settled) {
		return -1, false // it took part in the choice
	}
	for _, o := range a.first[tok.at] {
		if o < t {
			was[a.tokens[o].board] = append(was[a.tokens[o].board], o)
		}
	}
	for k := range was {
		slices.Sort(was[k])
	}
	alike = free
	for k := range held {
		now := slices.Clone(held[k])
		slices.Sort(now)
		same := slices.ContainsFunc(was[:], func(list []int) bool { return slices.Equal(list, now) })
		alike = alike && same
		if len(now) > 0 && slices.Equal(now, was[tok.board]) {
			sb = k
		}
	}
	return sb, alike
}

// crowded chooses where none is free: what costs the fewest cycles.
func (a *allocator) crowded(b, t int, held *holders, low, high int) int {
	tok := &a.tokens[t]
	lowest := tok.beyond() && !a.late && !a.anew && !a.asking && a.choices[t].foreseen // by the rules, not by the input
	if sb, alike := a.asInput(t, held); sb >= low && sb < high && !lowest && !a.anew {
		if !alike {
			a.doubts |= overflow
		}
		return sb
	}
	switch {
	case !tok.beyond():
		a.doubts |= overflow
	case tok.read:
		a.doubts |= overflowSources
	default:
		a.doubts |= overflowResults
	}
	bl := &a.blocks[b]
	clock := a.clockOf(b)
	readyOf := func(t int) int {
		o := &a.tokens[t]
		switch {
		case o.block == b:
			return clock[o.at-bl.from] + a.latency(t)
		case slices.Contains(a.before[b], o.block):
			return max(0, a.latency(t)-(a.time[a.blocks[o.block].to]-a.time[o.at]))
		}
		return 0
	}
	own, ready := bl.to, readyOf(t)
	if !tok.beyond() {
		own = tok.point
	}
	type candidate struct{ cost, wait, ready int }
	better := func(x, y candidate) bool {
		switch {
		case x.cost != y.cost:
			return x.cost < y.cost
		case tok.beyond() && a.anew:
			return x.ready < y.ready
		case tok.beyond():
			return false // the lowest
		case (x.wait >= own) != (y.wait >= own):
			return x.wait >= own
		case x.wait >= own:
			return x.ready < y.ready
		}
		return x.wait > y.wait
	}
	best, chosen := candidate{}, -1
	for sb := low; sb < high; sb++ {
		if len(held[sb]) == 0 || a.entered(b, held[sb]) {
			continue
		}
		c := candidate{wait: a.earliest(b, tok.at, held[sb])}
		slow := false
		for _, o := range held[sb] {
			c.ready = max(c.ready, readyOf(o))
			slow = slow || a.tokens[o].slow && a.tokens[o].beyond()
		}
		if slow {
			continue
		}
		if c.wait < bl.to || own < bl.to {
			// What the common wait takes longer than the first of two.
			at := clock[min(c.wait, own)-bl.from]
			alone := max(at, ready)
			if c.wait <= own {
				alone = max(at, c.ready)
			}
			c.cost = max(at, ready, c.ready) - alone
		}
		if chosen < 0 || better(c, best) {
			best, chosen = c, sb
		}
	}
	if chosen < 0 {
		return high - 1
	}
	return chosen
}
