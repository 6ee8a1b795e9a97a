package resched

import (
	"maps"
	"slices"
)

// Code from the toolkit of an older finalizer. Releases from 13.1 on give out all
// scoreboards of it, of functions that call and of those that return too, and with -r.
// Stalls stay. The rules are those of board.go and order.go but for these:
//
//   - 13.5 has sources that go beyond their block leave the last scoreboard to others, where what the block leaves holds the rest.
//   - A token that goes beyond its block is followed into the blocks right after it:
//     sources share a scoreboard with others that none of those blocks needs.
//   - Sources that go beyond their block pass over what is held after it even where their
//     instruction's result is waited for at once.
//   - Where none is free: crowded.go.
//   - The last word of a block waits for a scoreboard only before a loop, where by a
//     clock that waits advance all that hold it are complete, slow results never; and in
//     the loop's first block (header.go).
//   - A call and a return wait for everything, and an EXIT for all uniform registers that
//     are made, or read by surfaces and textures; a BRXU for those that are made.
//   - WARPSYNC.COLLECTIVE and ENDCOLLECTIVE end blocks and wait for everything. Scoreboards are given out
//     as if the first didn't; from the second on all are free.
//
// Code that branches by registers keeps its schedule where attributes don't say where they go. Its
// sources are followed into none of the blocks there.
//
// Where EXITs get fences, those wait for nothing else and nothing waits for them.
//
// From 13.3 on, of the words of an instruction of several a move of a register to itself goes.
//
// Pauses are beside products of matrices where NOPs did: pauses.go.
//
// A MEMBAR of the block is waited for by the next word, but on sm_120 and sm_121, where it holds
// nothing.
//
// From 13.2 on a BSYNC of the two kinds that lanes are sure to reach has a NOP in front.
//
// Source: 518 functions of HeCBench by ptxas 13.0.88 through nvlink 13.1.115; 46,988 scoreboards
// that ptxas 13.5.37 gave out in 443 functions, of which the rules here give 402 back.

// anew gives out all scoreboards of code from the toolkit of an older finalizer.
func anew(words []word, gone []bool, stays bool, how Options, r Result) (Result, int) {
	dead := -1
	if isUnoptimized(words) || !how.Jumps.tellAll(words) {
		how.Anew, how.keeps = false, true
		return change(join(words), how)
	}
	stays = stays || how.Debug
	front := make(map[int][]word)
	if how.Fence {
		front = fence(words, &r)
		if !stays {
			r.shortenFences(words, front)
		}
	}
	if how.Pads {
		front = with(front, pads(words, &r))
		dropAddressReuse(words)
	}
	if how.Adds {
		r.Added = asSums(words)
	}
	if how.JoinsMoves {
		r.Dropped = dropSelfMoves(words, how.Parts, gone)
	}
	if made, dead, ok := how.slowAnew(words, gone, front, stays, r); ok {
		return made, dead
	}
	if how.Pauses {
		pauseProducts(words, gone, front, how.Adds, &r)
	}
	any := len(how.Gone)+len(front)+len(r.Added)+len(r.Dropped) > 0
	switch {
	case !stays:
		words = repeated(words, gone, front, any, &r)
	case any:
		words = rebuild(words, gone, front, &r)
	}
	if isLarge(words) {
		r.TooLarge = true
		return r, dead
	}
	more := stallFences(words, !how.Adds)
	jumps := how.Jumps.moved(&r)
	r.Freed = freeSources(words, jumps)
	a := &allocator{flow: traceAnew(words, jumps, more, how.HoldsDoubles, true), rules: how.rulesAnew()}
	a.setApart(r.sumsNow(), &how, &r)
	a.same = a.noChanges(&how)
	token := -1
	if !stays && stackLoad(words) && len(a.first[0]) > 0 {
		token, dead = a.first[0][0], 0
	}
	finished := a.reallocate(token)
	a.leaveSooner()
	r.doubts, r.Foreseen = a.doubts, finished && a.isForeseen(&r, &how)
	r.Changed, r.Exact, r.Text = true, false, join(words)
	return r, dead
}

// rulesAnew are those of code that is made anew.
func (how *Options) rulesAnew() rules {
	return rules{method: allAnew, leavesLast: how.LeavesLast, sm120: how.Adds}
}

// dropSelfMoves marks as gone, of the words of instructions of several, moves of a register to itself.
// parts are such words. It returns what goes.
func dropSelfMoves(words []word, parts []int, gone []bool) (dropped []int) {
	for _, i := range parts {
		if i < 0 || i >= len(words) || gone[i] {
			continue
		}
		if w := &words[i]; w.isMove() && w.field(dField, 8) == w.field(bField, 8) {
			gone[i] = true
			dropped = append(dropped, i)
		}
	}
	return dropped
}

// isMove reports whether an instruction moves one register to another.
func (w *word) isMove() bool {
	return (w.op() == opMOVReg || w.op() == opUMOVReg) && w.field(pairBit, 1) == 0
}

// dropAddressReuse lets no LEA that makes an address of shared memory keep a source in the
// cache of operands.
func dropAddressReuse(words []word) {
	const (
		opLEA       = 0x211
		sharedShift = 24
		reuseBits   = 0xf << 58
	)
	for i := range words {
		if w := &words[i]; w.op() == opLEA && w.field(75, 5) == sharedShift {
			w.hi &^= reuseBits
		}
	}
}

// stallFences has MEMBARs of the block stall as all others do. It returns what they hold: with
// holds a scoreboard that the word after them waits for.
func stallFences(words []word, holds bool) map[int]*fresh {
	const fenceStall = 6
	more := make(map[int]*fresh)
	for i := range words {
		w := &words[i]
		if !w.isMEMBAR() || w.hi&0xffff != membarCTA || w.rd() != noBoard {
			continue
		}
		w.setStall(fenceStall)
		w.hi |= 1 << yieldBit
		if holds {
			more[i] = &fresh{rd: true}
		}
	}
	return more
}

// isUnoptimized reports whether code is what ptxas makes without optimization: the
// instruction that ends it stalls as long as it can, and all share two scoreboards.
// Code without such an end is a loop: its branch says it.
func isUnoptimized(words []word) bool {
	ends := func(w word) bool { return w.op() == opRET || w.op() == opEXIT }
	if !slices.ContainsFunc(words, ends) {
		ends = func(w word) bool { return w.op() == opBRA }
	}
	return shareTwoBoards(words) && !slices.ContainsFunc(words, func(w word) bool { return ends(w) && w.stall() != maxStall })
}

// shareTwoBoards reports whether all results of code have one scoreboard, and all
// sources another.
func shareTwoBoards(words []word) bool {
	for i := range words {
		if w := &words[i]; w.wr() != noBoard && w.wr() != 0 || w.rd() != noBoard && w.rd() != 1 {
			return false
		}
	}
	return true
}

// pads returns the NOP that goes before every BSYNC that other lanes are sure to
// reach, by word.
func pads(words []word, r *Result) map[int][]word {
	front := make(map[int][]word)
	nop := word{lo: opNOP | 7<<12, hi: 0x000fe20000000000}
	if isUnoptimized(words) {
		nop.hi = 0x003fde0000000000 // as all words there
	}
	for i := range words {
		if words[i].isPadded() && (i == 0 || words[i-1].op() != opNOP) {
			front[i] = []word{nop}
			r.Padded = append(r.Padded, i)
		}
	}
	return front
}

// isPadded reports whether a word is a BSYNC of the kinds that lanes are sure to reach.
func (w *word) isPadded() bool {
	const kindBits = 3 // 1 reliable, 2 reconvergent
	return w.op() == opBSYNC && w.field(72, 2)&kindBits != 0
}

// traceAnew is trace of code from another finalizer, with tokens that the input hasn't. doubles
// says that all of them hold scoreboards, older that its toolkit is an older one.
func traceAnew(words []word, jumps Jumps, more map[int]*fresh, doubles, older bool) *flow {
	list := blocksBy(words, jumps, true)
	f := traceIn(words, list, false, more)
	if doubles {
		maps.Copy(more, f.freshDoubles())
		f = traceIn(words, list, false, more)
	}
	f.strange, f.older = true, older
	f.findPointsAnew()
	return f
}

// findPointsAnew is findPoints where nothing is known of them.
func (f *flow) findPointsAnew() {
	for t := range f.tokens {
		f.tokens[t].point = -1
	}
	f.findPoints()
}

// giveOutAnew gives out all scoreboards of the code.
func (a *allocator) giveOutAnew() {
	a.edges = a.newEdges()
	a.forward = make([]uint8, len(a.words))
	for _, b := range a.order {
		a.walk(b)
		a.settle(b)
	}
}

// freeWaitsAnew is freeWaits of rescheduled code: a scoreboard is waited for where all that
// hold it are complete, or one must be.
func (a *allocator) freeWaitsAnew(b int, is bitset) (free uint8) {
	pending, must := uint8(0), uint8(0)
	is.each(func(t int) {
		switch now := uint8(1) << a.tokens[t].now; {
		case a.tokens[t].slow && a.tokens[t].block != b && a.isOverBackEdge(b, t):
			free |= now // unless what came another way holds it too
		case a.mustEnd(b, t):
			must |= now
		case !a.isFreeAnew(b, t):
			pending |= now
		default:
			free |= now
		}
	})
	return free&^pending | must
}

// mustEnd reports whether a block ends with a wait for a token whatever it costs: at a call, where
// it comes over a back edge, and for uniform registers where lanes end or go where one tells.
func (a *allocator) mustEnd(b, t int) bool {
	tok := &a.tokens[t]
	w := &a.words[a.blocks[b].to-1]
	switch {
	case w.isCall(), tok.block != b && a.isOverBackEdge(b, t):
		return true
	case a.isLeftToHeader(b, t):
		return true
	}
	if tok.read {
		return w.op() == opEXIT && a.isReadLate(t, b)
	}
	return (w.op() == opEXIT || w.op() == opBRXU) && hasUniform(a.ops[tok.at].writes)
}

// isFreeAnew is isFree of rescheduled code.
func (a *allocator) isFreeAnew(b, t int) bool {
	tok := &a.tokens[t]
	if a.mustEnd(b, t) {
		return true
	}
	for _, o := range a.first[a.blocks[b].to-1] {
		if a.tokens[o].now == tok.now {
			return false
		}
	}
	if tok.slow || !a.leadsToLoop(b, t) {
		return false
	}
	if a.isCloseCall(b, t) {
		a.doubts |= nearLoop
	}
	return a.elapsed(t, b) >= a.latency(t)
}

// isCloseCall reports whether a token is complete at the end of a block, or not, by so few cycles that
// neither latencies nor the clock are known well enough.
func (a *allocator) isCloseCall(b, t int) bool {
	latency := a.latency(t)
	margin := 2 + latency/4
	cycles := a.elapsedUpTo(t, b, latency+margin)
	return cycles > latency-margin && cycles < latency+margin
}

// returnsWith reports whether a token's result is waited for by a return and the tokens are sources of its
// own instruction, which nothing else waits for, and others that the return waits for.
func (a *allocator) returnsWith(t int, tokens []int) bool {
	tok := &a.tokens[t]
	if a.words[tok.point].op() != opRET || !a.own(tok.at, tokens) {
		return false
	}
	for _, o := range tokens {
		other := &a.tokens[o]
		if p := a.pointIn(tok.block, o); p > tok.at && p < tok.point || p >= a.blocks[tok.block].to && other.at != tok.at {
			return false
		}
	}
	return true
}

// leadsToLoop reports whether a loop follows a block, of which the token's isn't part.
func (a *allocator) leadsToLoop(b, t int) bool {
	for _, s := range a.blocks[b].next {
		if a.rank[s] <= a.rank[b] {
			continue
		}
		if a.isHeader(s) {
			return true
		}
	}
	return false
}

// elapsed returns the least number of cycles from the instruction of a token to the
// last word of a block where it is pending; where that is more than its latency, some
// number that is too.
func (a *allocator) elapsed(t, b int) int { return a.elapsedUpTo(t, b, a.latency(t)) }

// elapsedUpTo is elapsed; where that is more than most, some number that is too.
func (a *allocator) elapsedUpTo(t, b, most int) int {
	tok := &a.tokens[t]
	last := a.blocks[b].to - 1
	if tok.block == b && tok.at < last {
		return a.cycles(b, tok.at, last)
	}
	return a.untilEntry(t, b, most) + a.cycles(b, a.blocks[b].from, last)
}

// untilEntry returns the least number of cycles from the instruction of a token to the entry
// of a block, so many at most.
func (a *allocator) untilEntry(t, b, most int) int {
	tok := &a.tokens[t]
	least := make(map[int]int)
	type place struct{ block, time int }
	todo := []place{}
	enter := func(from, time int) {
		for _, s := range a.blocks[from].next {
			if was, ok := least[s]; time < most && (!ok || time < was) {
				least[s] = time
				todo = append(todo, place{s, time})
			}
		}
	}
	enter(tok.block, a.cycles(tok.block, tok.at, a.blocks[tok.block].to))
	for len(todo) > 0 && a.work > 0 {
		p := todo[0]
		todo = todo[1:]
		a.work--
		if p.block != b && p.time == least[p.block] {
			enter(p.block, p.time+a.cycles(p.block, a.blocks[p.block].from, a.blocks[p.block].to))
		}
	}
	if time, ok := least[b]; ok {
		return time
	}
	return most
}

// far reports whether no block right after b uses the registers of any of those tokens but by returning, or a
// call waits for them.
func (a *allocator) far(b int, tokens []int) bool {
	if last := &a.words[a.blocks[b].to-1]; last.isCall() || last.isIndexed() {
		return true
	}
	for _, t := range tokens {
		for _, s := range a.blocks[b].next {
			if i := a.firstNeed(s, t); i >= 0 && a.words[i].op() != opRET && a.uses(t, i) {
				return false
			}
		}
	}
	return true
}

// uses reports whether a word that needs a token reads or writes its registers, and doesn't wait
// since lanes meet there.
func (a *allocator) uses(t, i int) bool {
	own, o := &a.ops[a.tokens[t].at], &a.ops[i]
	return a.tokens[t].read || overlap(own.writes, o.reads) || overlap(own.writes, o.writes)
}
