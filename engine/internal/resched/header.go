package resched

// Waits of a loop's first block, at its end: for all that comes over the back edge, and for what
// was pending before the loop, is complete by now and comes around the loop on some way where nothing needs it. The
// second kind is not known while scoreboards are given out; what holds one then keeps it. Where the block needs what comes
// over the back edge on the same scoreboard, it waits there, and not at its end.
//
// Source: 443 functions of HeCBench by ptxas 13.5.37; loops of stores to shared memory, put to nvlink 13.1.115 and 13.5.37;
// 100 loops of doubles by ptxas 13.0.88 and 13.5.37, put to those.

// isHeader reports whether control comes back to a block.
func (a *allocator) isHeader(b int) bool {
	for _, p := range a.before[b] {
		if a.rank[p] >= a.rank[b] {
			return true
		}
	}
	return false
}

// isLeftToHeader reports whether the last word of a loop's first block waits for a token of an
// earlier block.
func (a *allocator) isLeftToHeader(b, t int) bool {
	tok := &a.tokens[t]
	return a.stage != settling && tok.read && a.rank[tok.block] < a.rank[b] && a.isHeader(b) &&
		a.elapsed(t, b) >= a.latency(t) && a.comesAround(b, t) && !a.goesWithBack(b, t)
}

// goesWithBack reports whether a loop's first block, b, needs what comes over the back edge on a token's scoreboard:
// that wait makes all of it free.
func (a *allocator) goesWithBack(b, t int) (goes bool) {
	for _, p := range a.before[b] {
		if a.edges.end == nil || a.rank[p] < a.rank[b] {
			continue
		}
		a.edges.end[p].each(func(o int) {
			goes = goes || o != t && a.tokens[o].now == a.tokens[t].now && a.rank[a.tokens[o].block] >= a.rank[b] && a.firstNeed(b, o) >= 0
		})
	}
	return goes
}

// comesAround reports whether a token that is pending before the loop that block b begins still is on some
// way around it.
func (a *allocator) comesAround(b, t int) bool {
	if a.firstNeed(b, t) >= 0 {
		return false
	}
	in := a.loopOf(b)
	done := newBitset(len(a.blocks))
	todo := []int{b}
	for len(todo) > 0 && a.work > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range a.blocks[s].next {
			switch {
			case n == b:
				return true
			case !in.has(n) || done.has(n):
			default:
				done.set(n)
				if a.firstNeed(n, t) < 0 {
					todo = append(todo, n)
				}
			}
		}
	}
	return false
}

// loopOf returns the blocks of the loop that block b begins.
func (a *allocator) loopOf(b int) bitset {
	in := newBitset(len(a.blocks))
	in.set(b)
	var todo []int
	for _, p := range a.before[b] {
		if a.rank[p] >= a.rank[b] {
			todo = append(todo, p)
		}
	}
	for len(todo) > 0 && a.work > 0 {
		a.work--
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !a.seen[s] || in.has(s) {
			continue
		}
		in.set(s)
		todo = append(todo, a.before[s]...)
	}
	return in
}
