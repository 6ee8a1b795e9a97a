package resched

import (
	"maps"
	"slices"
)

// Code of sm_100 for sm_103, where FP64 is slow: a result arrives after a
// scoreboard, sources are read late, and two instructions of the unit are at
// least pace cycles apart. nvlink 13.0.88 makes such code of the other's:
//
//   - Scoreboards for results and for sources, where something uses the one or
//     overwrites the other. The unit works in order: in a block the youngest that an
//     instruction needs stands for those before it. What the block leaves pending
//     has both.
//   - Stalls that counted the cycles of a result fall to what else there is to wait
//     for.
//   - Before an instruction that comes too early the stall of the one before is
//     raised to 15, then NOPs; blocks know nothing of each other.
//
// Then scoreboards are given out as in any other kernel. Some yield and reuse bits
// change too; why isn't known.
//
// Source: 370 kernels of random arithmetic through ptxas and nvlink 13.0.88.

// pace is how many cycles the unit needs for an instruction.
const pace = 64

// maxStall is the largest stall; longStall the least with which an instruction of
// doubles has no yield bit.
const (
	maxStall  = 15
	longStall = 12
)

// isDouble reports whether an instruction is DMUL, DADD, DSETP or DFMA.
func (w *word) isDouble() bool {
	op := w.op()
	return op&0xfc == 0x28 && op>>8&1 == 0 && op>>9 >= 1
}

// isPaced reports whether an instruction takes its turn in the unit: conversions
// of doubles do too.
func (w *word) isPaced() bool {
	switch op := w.op(); op >> 8 {
	case 0x3, 0x9, 0xa, 0xd:
		return op&0xff >= 0x10 && op&0xff <= 0x13
	}
	return w.isDouble()
}

// countsOnUnit reports whether a function counts on the latency of doubles.
func countsOnUnit(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.inUnit() })
}

// isUnderstood reports whether an instruction has operands that are decoded, or is one
// that has none.
func (w *word) isUnderstood() bool {
	switch w.op() {
	case opBRA, opBRAUnif, opBSSY, opBSYNC, opEXIT, opNOP, opMEMBAR, opERRBAR, opCGAERR, opDEPBAR, opLDGDEPBAR, opENDCOLLECTIVE, opWARPSYNC,
		0xb1d, 0x98f, opBPT, opPMTRIG, 0x95d, opYIELD, opBREAK, 0x91e, opRET, 0x9c7, 0xdc7: // BAR.SYNC, CCTL, breaks and pauses, barriers of clusters
		return true
	}
	if w.isCall() {
		return true
	}
	if w.isSparse() {
		return false
	}
	if _, ok := memory[w.op()]; ok {
		return true // its operands may all be the zero register
	}
	always := *w
	always.put(12, 4, 7)
	o := always.operands()
	return len(o.reads)+len(o.writes) > 0
}

// leavesVectors reports whether an instruction whose operands aren't decoded has none that a double makes: an ELECT
// of all lanes, and the fence before bulk copies.
func (w *word) leavesVectors() bool {
	const opELECT, opFenceView, all = 0x82f, 0x3c6, 7
	return w.op() == opFenceView || w.op() == opELECT && w.field(ppField, 3) == all
}

// usesUnit reports whether a function has an instruction for their unit.
func usesUnit(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.takesTurn() })
}

// slow is change for a function with doubles; only one that nothing else is done to
// is fit for it. leaf says that it is a kernel without calls.
func (r *Result) slow(words []word, leaf, fit bool, how Options) (Result, int) {
	dead := -1
	if !fit {
		r.Unfit = true
		return *r, dead
	}
	for i := range words {
		if !words[i].isUnderstood() && !words[i].leavesVectors() {
			r.Unfit = true // it may read what a double makes
			return *r, dead
		}
	}
	gone := make([]bool, len(words))
	if first := slices.IndexFunc(words, word.isMEMBAR); leaf && first >= 0 {
		takeOut(words, first, gone, keptIn(words), r)
	}
	if r.TooLarge = isLarge(words); r.TooLarge {
		return *r, dead
	}
	if leaf = leaf && stackLoad(words); leaf {
		dead = 0
	}
	out, ok := slowed(words, gone, nil, leaf, how, r)
	r.Changed, r.Exact, r.Unfit, r.Text = ok, false, !ok, join(out)
	return *r, dead
}

// slowed makes the words for sm_103, but for those that are gone, with those before some; in a leaf the stack
// pointer's scoreboard goes. false: some of them it can't be sure of. Which doubles the next word waits for, since
// it waits for another that shares their scoreboard, is known when scoreboards are given out: then stalls are made again.
func slowed(words []word, gone []bool, front map[int][]word, leaf bool, how Options, r *Result) (out []word, ok bool) {
	var soon []int
	for {
		made := *r
		out, more, ok := slowedOnce(slices.Clone(words), slices.Clone(gone), front, leaf, how, &made, soon)
		if !ok || len(more) == 0 || len(soon) > 0 {
			*r = made
			return out, ok
		}
		soon = more
	}
}

// slowedOnce is slowed; soon are words of the input that the next one waits for.
func slowedOnce(words []word, gone []bool, front map[int][]word, leaf bool, how Options, r *Result, soon []int) (out []word, more []int, ok bool) {
	var kept Result // the code without delays
	f := undelayed(words, gone, &how, &kept)
	f.soon = make([]bool, len(f.words))
	for _, i := range soon {
		f.soon[kept.Moves[i]] = true
	}
	need := freshBoards(f)
	for b := range f.blocks {
		f.uncovered(&f.blocks[b], need)
	}
	times := f.spentBefore()
	after := f.respace(need)
	takeSchedules(words, f.words, kept.Moves)
	fillers := r.fillersInFront(after, kept.Moves)
	for i, list := range front {
		fillers[i] = append(fillers[i], list...)
	}
	out = rebuild(words, gone, fillers, r)
	moved, timeWas := map[int]*fresh{}, make([]int, len(out))
	for i, m := range kept.Moves {
		if m < 0 {
			continue
		}
		timeWas[r.Moves[i]] = times[m]
		if need[m] != nil {
			moved[r.Moves[i]] = need[m]
		}
	}
	jumps := how.Jumps.moved(r)
	if how.Anew {
		maps.Copy(moved, stallFences(out, true))
		r.Freed = freeSources(out, jumps)
	}
	a := newPaced(traceIn(out, blocksBy(out, jumps, false), true, moved), timeWas, &how)
	dead := -1
	if leaf && len(a.first[0]) > 0 {
		dead = a.first[0][0]
	}
	ok = a.reallocate(dead) && sound103(out)
	r.doubts = a.doubts
	for i, m := range r.Moves {
		if m >= 0 && a.soon != nil && a.soon[m] {
			more = append(more, i)
		}
	}
	return out, more, ok
}

// newPaced gives out the scoreboards of code of sm_100 for sm_103. timeWas tells by word when it started.
func newPaced(f *flow, timeWas []int, how *Options) *allocator {
	a := &allocator{flow: f, rules: rules{paced: true}, timeWas: timeWas}
	if how.Late {
		a.rules = how.rulesAnew()
		a.paced, a.strange, a.older = true, true, how.Anew
		a.same = a.noChanges(how)
		a.findPointsAnew()
	}
	return a
}

// undelayed returns the flow of code of sm_100 without what delays it, whose words that go it marks.
func undelayed(words []word, gone []bool, how *Options, kept *Result) *flow {
	delays := dropDelays(words, gone)
	left := rebuild(words, gone, nil, kept)
	unhold(left)
	f := traceIn(left, blocksBy(left, how.Jumps.moved(kept), false), true, nil)
	f.extra = make([]int, len(left))
	for i, n := range delays {
		f.extra[kept.Moves[i]] = n
	}
	f.strange, f.noTurns, f.older, f.pads = how.Late, how.Unpaced, how.Anew, how.Anew && how.Pads
	f.filler = fillerOf(left, how.Late)
	f.products = f.filler.lets
	f.paused = make([]bool, len(left))
	return f
}
