package resched

// method is how scoreboards are given out.
type method uint8

const (
	alongFlow method = iota // 13.0: where something changes, along the flow of the code
	likeInput               // from 13.1 on: where something changes, as the input's choices tell (late.go)
	allAnew                 // from 13.1 on: all, where another finalizer gave them out (anew.go)
)

// rules are those of a release and of a kind of code.
type rules struct {
	method     method
	lateWaits  bool // the waits of late.go
	paced      bool // it is code of sm_100 for sm_103, whose stalls changed
	leavesLast bool // sources that go beyond their block leave the last scoreboard to others
	sm120      bool // it is code for sm_120 or sm_121
}

// stage is what an allocator is at, beside giving out.
type stage uint8

const (
	asking   stage = 1 + iota // what the rules give for the input itself
	settling                  // scoreboards are given out: waits of loops' first blocks come later
)

// fencing is the new fences before EXITs.
type fencing struct {
	fenced     []bool // by word: an EXIT with one; nil where there is none
	fenceWords int    // how long one is
}

// hasFence reports whether word i is an EXIT with a new fence.
func (f *fencing) hasFence(i int) bool { return f.fenced != nil && f.fenced[i] }

// allocator gives out the scoreboards of a kernel.
type allocator struct {
	*flow
	rules
	fencing
	stage     stage
	lowest    int               // the first scoreboard that may be given
	textures  bool              // the kernel asks textures
	hasLoads  bool              // it has slow loads
	counted   [noBoard + 1]bool // the kernel waits for a number of instructions on this scoreboard
	doubts    doubt
	base      []bitset // by block: tokens pending at its entry, by the rules for the output, before anything changed
	out       []bitset // by block: tokens pending at its entry, in the output; those that cross into it too
	clocks    [][]int
	was       bitset   // tokens pending in the input where a scoreboard is given out
	before    [][]int  // by block: those it may be entered from
	complete  bitset   // tokens that new fences let be complete before a loop
	freed     []bool   // by token: the last word of its block waits for it
	reached   [][]int  // by token: blocks at whose entry it is pending, made when first asked for
	choices   []choice // by token: of the input
	timeWas   []int    // of paced code, by word: cycles from the start on sm_100; none of NOPs that are new
	forward   []uint8  // by word: what it waits for if nothing comes over a back edge; nil for no matter
	edges     edges    // in that order
	inForward []uint8  // forward of the input
	work      int      // steps left
	same      *changes // of allAnew: none, and the latencies of the target
}

// maxWork bounds the steps on one kernel.
const maxWork = 1 << 28

// reallocate takes the scoreboard of a token away and gives out the others of its
// blocks, and of the blocks that this changes. Without such a token, -1, it begins
// where other tokens are pending than in the input. It reports whether it came to
// an end.
func (a *allocator) reallocate(dead int) bool {
	a.prepare()
	a.readInput()
	a.findPending()
	if dead >= 0 {
		a.tokens[dead].dead = true
	}
	switch a.method {
	case allAnew:
		a.giveOutAnew()
	case likeInput:
		a.giveOutLate(dead)
	default:
		a.giveOut()
	}
	a.findPending()
	a.masks()
	return a.work > 0
}

// prepare makes the tables, and finds what doesn't depend on scoreboards.
func (a *allocator) prepare() {
	nb := len(a.blocks)
	a.clocks = make([][]int, nb)
	a.complete = newBitset(len(a.tokens))
	a.reached = make([][]int, len(a.tokens))
	a.out = make([]bitset, nb)
	a.work = maxWork
	a.before = make([][]int, nb)
	for b := range a.blocks {
		for _, s := range a.blocks[b].next {
			a.before[s] = append(a.before[s], b)
		}
	}
	if a.countsCopies() {
		a.lowest = 1
	}
	a.findTextures()
	for t := range a.tokens {
		a.hasLoads = a.hasLoads || a.isLoad(t)
	}
}

// readInput finds what is pending in the input, which is code of sm_100 without new fences, and what the
// rules give for it.
func (a *allocator) readInput() {
	paced, fenced := a.paced, a.fenced
	a.paced = false
	a.findFreed()
	a.fenced = nil
	a.findPending()
	if a.method == alongFlow {
		a.edges, a.forward = a.newEdges(), make([]uint8, len(a.words))
		for _, b := range a.order {
			a.settle(b)
		}
		a.foresee()
		a.inForward, a.forward = a.forward, nil
	}
	a.paced = paced
	if paced {
		a.findFreed()
	}
	a.base, a.out, a.fenced = a.out, make([]bitset, len(a.blocks)), fenced
}

// differs reports whether other tokens are pending at the entry of a block than
// were.
func (a *allocator) differs(b int) bool {
	for k := range a.out[b] {
		if a.out[b][k] != a.base[b][k] {
			return true
		}
	}
	return false
}

// findTextures looks for texture instructions, and for waits that count what is
// still on a scoreboard: there the order on it must stay as it is.
func (a *allocator) findTextures() {
	for i := range a.words {
		w := &a.words[i]
		a.textures = a.textures || w.isTexture() || a.method == allAnew && w.op() == opSULD
		if sb := w.field(44, 3); w.op() == opDEPBAR && sb > 0 && sb < boards {
			a.counted[sb] = true
		}
	}
}

// countsCopies reports whether the kernel waits for groups of copies, which
// scoreboard 0 counts.
func (a *allocator) countsCopies() bool {
	for i := range a.words {
		if a.words[i].countsCopies() {
			return true
		}
	}
	return false
}

// findPending finds what is pending at the entry of each block of the output.
func (a *allocator) findPending() {
	if a.method == likeInput {
		a.findForward()
	}
	for b := range a.out {
		a.out[b] = newBitset(len(a.tokens))
	}
	done := make([]bool, len(a.blocks))
	work := []int{0}
	for len(work) > 0 && a.work > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		done[b] = true
		is := a.out[b].clone()
		a.pass(b, is, nil)
		for _, s := range a.blocks[b].next {
			if a.out[s].join(is) || !done[s] {
				work = append(work, s)
			}
		}
	}
}

// walk gives out the scoreboards of a block.
func (a *allocator) walk(b int) {
	a.eachChoice(b, func(t, chosen int, held *holders) int {
		if a.method != alongFlow {
			return chosen
		}
		nowFree := a.choices[t].crowded && len(held[chosen]) == 0
		if !a.choices[t].foreseen && !nowFree && !a.tokens[t].fresh {
			a.doubts |= unforeseen
			return a.likeInput(t, chosen, held)
		}
		return chosen
	})
}

// eachChoice goes over a block and calls take with the scoreboard that the rules
// give a token; it returns the one that the token gets.
func (a *allocator) eachChoice(b int, take func(t, chosen int, held *holders) int) {
	bl := &a.blocks[b]
	held := a.heldAtEntry(b)
	high := a.ownUpTo(b)
	was := a.entry[b].clone()
	var open [boards]bool // what the last WARPSYNC.COLLECTIVE waited for
	for i := bl.from; i < bl.to; i++ {
		a.waitAt(i, was, &held, &open)
		for _, t := range a.first[i] {
			tok := &a.tokens[t]
			if tok.dead || a.stage == asking && tok.fresh {
				continue
			}
			if a.stage != asking {
				a.was = was
			}
			tok.now = take(t, a.choose(b, t, &held, high), &held)
			held[tok.now] = append(held[tok.now], t)
		}
		a.release(was, a.words[i].wait())
		a.addInput(was, i)
	}
}

// heldAtEntry returns the tokens that hold each scoreboard at a block's entry.
func (a *allocator) heldAtEntry(b int) (held holders) {
	a.atEntry(b).each(func(t int) {
		if tok := &a.tokens[t]; tok.now < boards {
			held[tok.now] = append(held[tok.now], t)
		}
	})
	return held
}

// waitAt frees the scoreboards that a word waits for. What a WARPSYNC.COLLECTIVE waits
// for, open, is free from its end on.
func (a *allocator) waitAt(i int, was bitset, held *holders, open *[boards]bool) {
	w := &a.words[i]
	for sb := range held {
		wait := w.op() == opENDCOLLECTIVE && (open[sb] || a.method == allAnew)
		for _, t := range held[sb] {
			a.work--
			if wait = wait || a.needs(t, i, was); wait {
				break
			}
		}
		if w.isCollective() {
			open[sb] = wait
		} else if wait {
			held[sb] = nil
		}
	}
}

// crossing is the scoreboard of slow results of memory that leave their block: the last, or the one
// before it in rescheduled code that asks textures, which have that.
func (a *allocator) crossing() int {
	if a.method == allAnew && a.textures {
		return slowBoard - 1
	}
	return slowBoard
}

// isLoad reports whether a token is a slow result of memory.
func (a *allocator) isLoad(t int) bool {
	tok := &a.tokens[t]
	w := &a.words[tok.at]
	return tok.slow && !w.isTexture() && w.op() != opSULD
}

// ownUpTo returns from which scoreboard on a block uses none for what it needs itself: that of slow
// results where some leave it, or enter it, and that of textures.
func (a *allocator) ownUpTo(b int) int {
	last := a.crossing()
	for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
		for _, t := range a.first[i] {
			if a.isLoad(t) && a.tokens[t].beyond() {
				return last
			}
		}
	}
	enters := false
	a.atEntry(b).each(func(t int) {
		enters = enters || a.isLoad(t) && a.tokens[t].now == last
	})
	switch {
	case enters:
		return last
	case a.textures:
		return slowBoard
	}
	return boards
}

// firstNeed returns the first word of a block that needs a token that enters it,
// -1 for none.
func (a *allocator) firstNeed(b, t int) int {
	was := a.entry[b].clone()
	for i := a.blocks[b].from; i < a.blocks[b].to; i++ {
		a.work--
		if a.needs(t, i, was) {
			return i
		}
		a.release(was, a.words[i].wait())
		a.addInput(was, i)
	}
	return -1
}

// reach returns the blocks at whose entry a token is pending, if it goes beyond
// its own and nothing that shares its scoreboard is waited for. The blocks
// after its own count even if its last word waits for it.
func (a *allocator) reach(t int) []int {
	if a.reached[t] != nil {
		return a.reached[t]
	}
	list := []int{}
	tok := &a.tokens[t]
	if tok.beyond() {
		seen := make(map[int]bool)
		work := append([]int(nil), a.blocks[tok.block].next...)
		for len(work) > 0 && a.work > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if seen[b] {
				continue
			}
			seen[b] = true
			list = append(list, b)
			if a.freed[t] || a.firstNeed(b, t) >= 0 {
				continue
			}
			work = append(work, a.blocks[b].next...)
		}
	}
	a.reached[t] = list
	return list
}

// isWanted reports whether any word needs a token.
func (a *allocator) isWanted(t int) bool {
	for _, b := range a.reach(t) {
		if a.firstNeed(b, t) >= 0 {
			return true
		}
	}
	return false
}
