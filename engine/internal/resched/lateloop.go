package resched

// giveOutLate gives out the scoreboards of the dead token's blocks and of the blocks
// that this changes, in the order of the code, for releases from 13.1 on.
func (a *allocator) giveOutLate(dead int) {
	nb := len(a.blocks)
	var todo []int
	queued := make([]bool, nb)
	enqueue := func(b int) {
		if !queued[b] && a.seen[b] {
			queued[b] = true
			todo = append(todo, b)
		}
	}
	stale := dead >= 0
	if dead >= 0 {
		enqueue(0)
	}
	for t := range a.tokens {
		if a.tokens[t].fresh {
			enqueue(a.tokens[t].block)
			stale = true
		}
	}
	for b := range a.blocks {
		if a.hasFresh(b) {
			enqueue(b)
		}
		if dead >= 0 && a.entry[b].has(dead) || dead < 0 && a.differs(b) {
			enqueue(b)
		}
	}
	for rounds := 0; len(todo) > 0 && rounds < 4*nb && a.work > 0; rounds++ {
		if stale {
			a.findPending()
			stale = false
		}
		b := todo[0]
		todo = todo[1:]
		queued[b] = false
		before := a.numbers(b)
		a.walk(b)
		if b != 0 {
			a.doubts |= laterBlock
		}
		for t, was := range before {
			now := a.tokens[t].now
			if now == was {
				continue
			}
			stale = true
			for _, s := range a.reach(t) {
				if s != b {
					enqueue(s)
				}
				a.comeTo(s, func(o int) {
					if other := &a.tokens[o]; !other.dead && other.block > b && (other.now == now || other.now >= was) {
						enqueue(other.block)
					}
				})
			}
		}
	}
}

// hasFresh reports whether a token that the input hasn't is pending at the entry of a block.
func (a *allocator) hasFresh(b int) (has bool) {
	a.out[b].each(func(t int) { has = has || a.tokens[t].fresh })
	return has
}

// comeTo calls f for the tokens that are pending at the entry of a block, and
// those that the last word of a block in front of it waits for.
func (a *allocator) comeTo(b int, f func(t int)) {
	a.out[b].each(f)
	for _, p := range a.before[b] {
		for i := a.blocks[p].from; i < a.blocks[p].to; i++ {
			for _, t := range a.first[i] {
				if a.tokens[t].beyond() && !a.out[b].has(t) {
					f(t)
				}
			}
		}
	}
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

// metByLate reports whether a token of an earlier block holds sb at the entry of a
// block that t reaches.
func (a *allocator) metByLate(t, sb int) bool {
	for _, b := range a.reach(t) {
		met := false
		a.out[b].each(func(o int) {
			other := &a.tokens[o]
			met = met || !other.dead && other.now == sb && other.block < a.tokens[t].block
		})
		if met {
			return true
		}
	}
	return false
}
