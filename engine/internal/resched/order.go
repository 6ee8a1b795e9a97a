package resched

import "slices"

// nvlink gives out scoreboards block by block, each once, in reverse postorder. The
// blocks after a block are visited in the order of a hash table of eight buckets,
// by FNV-1a of a block's number, which is its place in the code, calls being blocks of
// their own; two in one bucket from the next block on. What a block sees of others is what earlier ones left:
//
//   - at its entry what came from earlier blocks, nothing over back edges;
//   - for what goes beyond it, what earlier blocks left at the entry of the blocks
//     right after it.
//
// Source: trees of branches with a store in each arm, put to ptxas and nvlink 13.0.88:
// the first arm that is looked at gets scoreboard 0, the next 1, and so on.

const buckets = 8

// bucket is where a block is in such a table.
func bucket(b int) int {
	const basis, prime = 0x811c9dc5, 0x01000193
	h := uint32(basis)
	for range 4 {
		h = (h ^ uint32(b&0xff)) * prime
		b >>= 8
	}
	return int(h % buckets)
}

// behindInOrder returns the blocks right after one in the order in which they are
// visited.
func (f *flow) behindInOrder(b int) []int {
	list := slices.Clone(f.blocks[b].next)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y int) int { return bucket(x) - bucket(y) })
	return list
}

// setOrder finds the order of the blocks, and by block its rank.
func (f *flow) setOrder() {
	n := len(f.blocks)
	f.rank = make([]int, n)
	done := make([]bool, n)
	left := make([][]int, n)
	visit := func(b int) int {
		done[b], left[b] = true, f.behindInOrder(b)
		return b
	}
	f.order = f.order[:0]
	for stack := []int{visit(0)}; len(stack) > 0; {
		b := stack[len(stack)-1]
		if len(left[b]) == 0 {
			f.order = append(f.order, b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := left[b][0]
		left[b] = left[b][1:]
		if !done[s] {
			stack = append(stack, visit(s))
		}
	}
	slices.Reverse(f.order)
	for i := range f.rank {
		f.rank[i] = n
	}
	for i, b := range f.order {
		f.rank[b] = i
	}
}

// edges are the tokens pending at the entry and at the end of each block, if nothing
// comes over back edges.
type edges struct{ entry, end []bitset }

func (a *allocator) newEdges() edges {
	e := edges{make([]bitset, len(a.blocks)), make([]bitset, len(a.blocks))}
	for b := range e.entry {
		e.entry[b] = newBitset(len(a.tokens))
	}
	return e
}

// settle finds what is pending at the end of a block of which all earlier ones are
// settled.
func (a *allocator) settle(b int) {
	is := a.edges.entry[b].clone()
	forward := a.forward
	a.forward = nil
	a.stage = settling
	a.pass(b, is, func(i int, mask uint8) { forward[i] = mask })
	a.stage = 0
	a.forward = forward
	a.edges.end[b] = is
	for _, s := range a.blocks[b].next {
		if a.rank[s] > a.rank[b] {
			a.edges.entry[s].join(is)
		}
	}
}

// giveOut gives out the scoreboards of all blocks that something changes for.
func (a *allocator) giveOut() {
	was := a.edges
	a.edges = a.newEdges()
	a.forward = make([]uint8, len(a.words))
	for _, b := range a.order {
		if a.paced || a.isConcerned(b, was) {
			a.walk(b)
			if b != 0 {
				a.doubts |= laterBlock
			}
		}
		a.settle(b)
	}
}

// isConcerned reports whether a block has a token that went or is new, or sees others
// than in the input.
func (a *allocator) isConcerned(b int, was edges) bool {
	for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
		for _, t := range a.first[i] {
			if a.tokens[t].dead || a.tokens[t].fresh {
				return true
			}
		}
	}
	if a.isOther(a.edges.entry[b], was.entry[b]) {
		return true
	}
	for _, s := range a.blocks[b].next {
		for _, p := range a.before[s] {
			if a.rank[p] < a.rank[b] && a.isOther(a.edges.end[p], was.end[p]) {
				return true
			}
		}
	}
	return false
}

// isOther reports whether other tokens are pending than in the input, or under other
// numbers.
func (a *allocator) isOther(is, was bitset) bool {
	return !slices.Equal(is, was) || !a.unchanged(is, was)
}

// metBy reports whether a token that an earlier block left holds sb at the entry of a
// block right after t's.
func (a *allocator) metBy(t, sb int) bool {
	if a.method == likeInput {
		return a.metByLate(t, sb)
	}
	b := a.tokens[t].block
	for _, s := range a.blocks[b].next {
		for _, p := range a.before[s] {
			if a.rank[p] >= a.rank[b] {
				continue
			}
			met := false
			a.edges.end[p].each(func(o int) {
				other := &a.tokens[o]
				met = met || !other.dead && other.now == sb && o != t
			})
			if met {
				return true
			}
		}
	}
	return false
}

// atEntry returns what is pending at a block's entry and holds its scoreboard there.
func (a *allocator) atEntry(b int) bitset {
	if a.method != likeInput {
		return a.edges.entry[b]
	}
	earlier := newBitset(len(a.tokens))
	a.out[b].each(func(t int) {
		if a.tokens[t].block < b {
			earlier.set(t)
		}
	})
	return earlier
}

// withoutForward takes what a word of the input waits for only because nothing came
// over a back edge when scoreboards were given out, and gives it what it waits for by
// that reason now.
func (a *allocator) withoutForward(i int, mask uint8, is bitset) uint8 {
	if a.inForward == nil || a.forward == nil {
		return mask
	}
	held := uint8(0)
	is.each(func(t int) { held |= 1 << a.tokens[t].now })
	return mask&^(a.inForward[i]&^held) | a.forward[i]
}

// extraWaits returns what word i of a block waits for besides what it needs, by all
// releases: a scoreboard that it takes and that is held over a back edge, and what it
// waits for if nothing comes over one, even if something that does makes it needless. is
// are the tokens pending there.
func (a *allocator) extraWaits(b, i int, is bitset) (mask uint8) {
	if a.forward != nil {
		mask = a.forward[i]
	}
	for _, t := range a.first[i] {
		if a.tokens[t].dead {
			continue
		}
		is.each(func(o int) {
			if other := &a.tokens[o]; other.now == a.tokens[t].now && a.overBackEdge(o, i) {
				mask |= 1 << other.now
			}
		})
	}
	return mask
}

// overBackEdge reports whether a token that is pending at word i came over a back edge.
func (a *allocator) overBackEdge(o, i int) bool {
	other, b := &a.tokens[o], a.of[i]
	if a.method == likeInput {
		return other.block > b || other.block == b && other.at >= i
	}
	return a.rank[other.block] > a.rank[b] || other.block == b && other.at >= i
}
