package resched

// giveOutLate gives out the scoreboards of the dead token's blocks and of the blocks
// that this changes, in the order of the code, for releases from 13.1 on.
func (a *allocator) giveOutLate(dead int) {
	nb := len(a.blocks)
	q := blockQueue{queued: make([]bool, nb), seen: a.seen}
	stale := a.beginLate(&q, dead)
	for rounds := 0; len(q.list) > 0 && rounds < 4*nb && a.work > 0; rounds++ {
		if stale {
			a.findPending()
			stale = false
		}
		b := q.take()
		tokens, before := a.numbers(b)
		a.walk(b)
		if b != 0 {
			a.doubts |= laterBlock
		}
		for k, t := range tokens {
			if was := before[k]; a.tokens[t].now != was {
				a.queueMet(&q, t, b, was)
				stale = true
			}
		}
	}
}

// beginLate queues the blocks where something is otherwise than in the input, and
// reports whether what is pending is to be found again.
func (a *allocator) beginLate(q *blockQueue, dead int) (stale bool) {
	if stale = dead >= 0; stale {
		q.add(0)
	}
	for t := range a.tokens {
		if a.tokens[t].fresh {
			q.add(a.tokens[t].block)
			stale = true
		}
	}
	for b := range a.blocks {
		if a.hasFresh(b) || dead >= 0 && a.entry[b].has(dead) || dead < 0 && a.differs(b) {
			q.add(b)
		}
	}
	return stale
}

// queueMet queues the blocks that a token of block b reaches, which held another
// scoreboard, and those of the tokens that it meets there.
func (a *allocator) queueMet(q *blockQueue, t, b, was int) {
	now := a.tokens[t].now
	for _, s := range a.reach(t) {
		if s != b {
			q.add(s)
		}
		a.comeTo(s, func(o int) {
			if other := &a.tokens[o]; !other.dead && other.block > b && (other.now == now || other.now >= was) {
				q.add(other.block)
			}
		})
	}
}

// blockQueue is the blocks whose scoreboards are given out next, each once.
type blockQueue struct {
	list   []int
	queued []bool
	seen   []bool // those that can be reached: no other is queued
}

func (q *blockQueue) add(b int) {
	if !q.queued[b] && q.seen[b] {
		q.queued[b] = true
		q.list = append(q.list, b)
	}
}

func (q *blockQueue) take() int {
	b := q.list[0]
	q.list = q.list[1:]
	q.queued[b] = false
	return b
}

// hasFresh reports whether a token that the input hasn't is pending at the entry of a block.
func (a *allocator) hasFresh(b int) (has bool) {
	a.out[b].each(func(t int) { has = has || a.tokens[t].fresh })
	return has
}

// comeTo calls f for the tokens that are pending at the entry of a block, and
// those that the last word of a block before it waits for.
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

// numbers returns a block's tokens and their scoreboards.
func (a *allocator) numbers(b int) (tokens, now []int) {
	for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
		for _, t := range a.first[i] {
			tokens, now = append(tokens, t), append(now, a.tokens[t].now)
		}
	}
	return tokens, now
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
