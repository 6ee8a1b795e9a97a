package resched

import (
	"math"
	"slices"
)

// Where no scoreboard is free, one is shared: by a token that its block needs the one that leaves most
// to spare at the wait that becomes the common one, that is, what is waited for there in vain has been
// complete for longest. Of what goes beyond its block 13.0 delays nobody, and takes the lowest. Releases
// from 13.1 on take for what no block right after uses the lowest that costs nothing, where one that
// such a block uses is waited for at the end of this one; for others what is complete first, but what
// is used far after only where it is complete at the end. A wait where lanes meet is no use.
//
// Source: 27,341 such choices of ptxas 13.5.37, of which this gives all but some 220, and 5,512 of
// ptxas 13.0, of which it gives all but 8.

// asInput returns the scoreboard that now is held by the same tokens as the one
// that t has in the input was there, -1 for none: what cost the fewest cycles then
// still does. alike reports that all scoreboards are held by the same tokens as in
// the input, but for their numbers.
func (a *allocator) asInput(t int, held *holders) (sb int, alike bool) {
	tok := &a.tokens[t]
	if tok.fresh {
		return -1, false // the input has it not
	}
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
	if a.method == likeInput {
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

// crowded chooses where none is free.
func (a *allocator) crowded(b, t int, held *holders, low, high int) int {
	c := a.sharers(b, t)
	best, chosen := sharer{}, high-1
	for sb := low; sb < high; sb++ {
		if x, ok := c.of(held[sb]); ok && (best.none() || x.cost < best.cost) {
			best, chosen = x, sb
		}
	}
	if !c.isSure() && !a.isAsInput(t, held, chosen) {
		a.doubts |= c.tok.overflow()
	}
	return chosen
}

// isAsInput reports whether the input's choice was the same, among scoreboards that were held by the
// same tokens but for their numbers.
func (a *allocator) isAsInput(t int, held *holders, chosen int) bool {
	tok := &a.tokens[t]
	if a.method == allAnew || tok.beyond() && a.method != likeInput && a.stage != asking && a.choices[t].foreseen {
		return false
	}
	sb, alike := a.asInput(t, held)
	return alike && sb == chosen
}

// overflow is the doubt about a token for which no scoreboard was free.
func (t *token) overflow() doubt {
	switch {
	case !t.beyond():
		return overflow
	case t.read:
		return overflowSources
	}
	return overflowResults
}

// sharers compares the scoreboards that a token may share.
type sharers struct {
	*allocator
	b     int // the token's block
	tok   *token
	clock []int // when the block's words start
	own   int   // the word that waits for the token, the block's end for none
	ready int   // when the token is complete
	isFar bool  // no block right after uses it
}

// sharer is those that hold a scoreboard.
type sharer struct {
	cost   int // the least is shared
	wait   int // the word that waits for them
	ready  int // when they are complete
	tokens int
}

func (s *sharer) none() bool { return s.tokens == 0 }

func (a *allocator) sharers(b, t int) sharers {
	c := sharers{allocator: a, b: b, tok: &a.tokens[t], clock: a.clockOf(b), own: a.blocks[b].to}
	if !c.tok.beyond() {
		c.own = c.tok.point
	}
	c.ready = c.readyAt(t)
	c.isFar = a.method == allAnew && c.tok.beyond() && a.far(b, []int{t})
	return c
}

// isSure reports whether no choice was seen to be other than here: results of slow loads that the
// block needs and sources that are needed far after it, 7,215 and 212 choices of ptxas 13.5.37.
func (c *sharers) isSure() bool {
	return c.isFar && c.tok.read || c.tok.slow && !c.tok.beyond()
}

// readyAt is when a token is complete, by the block's clock.
func (c *sharers) readyAt(t int) int {
	o := &c.tokens[t]
	if o.block == c.b {
		return c.clock[o.at-c.blocks[c.b].from] + c.latency(t)
	}
	return c.latency(t) - c.untilEntry(t, c.b, c.latency(t))
}

// of returns what sharing the scoreboard of some tokens is like; false where none holds it
// or one may take so long that nothing shares with it.
func (c *sharers) of(tokens []int) (s sharer, ok bool) {
	if len(tokens) == 0 || c.entered(c.b, tokens) {
		return s, false
	}
	s = sharer{wait: c.earliest(c.b, c.tok.at, tokens), tokens: len(tokens)}
	for _, o := range tokens {
		if c.tokens[o].slow && c.tokens[o].beyond() {
			return s, false
		}
		s.ready = max(s.ready, c.readyAt(o))
	}
	switch bl := &c.blocks[c.b]; {
	case c.method == allAnew || c.own < bl.to:
		s.cost = c.spared(&s, tokens)
	case s.wait < bl.to:
		s.cost = max(0, c.ready-max(c.clock[s.wait-bl.from], s.ready))
	}
	return s, true
}

// spared is how many cycles later than it would start the first word that waits may start, less
// what it has to spare; of tokens that go beyond the block, how late they are complete.
func (c *sharers) spared(s *sharer, tokens []int) int {
	bl := &c.blocks[c.b]
	spare := func(wait, ready int) int { return ready - c.clock[wait-bl.from] }
	isNear := s.wait == bl.to && !c.far(c.b, tokens)
	switch {
	case c.own < bl.to && s.wait < c.own:
		return spare(s.wait, c.ready)
	case c.own < bl.to:
		return spare(c.own, s.ready)
	case c.isFar && (s.wait < bl.to || isNear):
		return max(0, spare(s.wait, c.ready))
	case c.isFar:
		return 0
	case s.wait < bl.to:
		return spare(s.wait, c.ready)
	case isNear || spare(s.wait, s.ready) <= 0:
		return math.MinInt + s.ready
	}
	return math.MinInt/2 + s.ready
}
