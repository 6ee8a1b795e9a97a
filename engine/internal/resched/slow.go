package resched

import "slices"

// Code of sm_100 for sm_103, where FP64 is slow: a result arrives behind a
// scoreboard, sources are read late, and two instructions of the unit stand at
// least pace cycles apart. nvlink 13.0.88 makes such code of the other's:
//
//   - Scoreboards for results and for sources, where something uses the one or
//     overwrites the other. The unit works in order: in a block the youngest that an
//     instruction needs stands for those before it. What the block leaves pending
//     has both.
//   - Stalls that counted the cycles of a result fall to what else there is to wait
//     for.
//   - In front of an instruction that comes too early the stall of the one before is
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

// fresh is the scoreboards that an instruction gets which it had not.
type fresh struct{ wr, rd bool }

// lateReads leaves out what an instruction reads at once, and what it overwrites
// itself: its result is waited for.
func lateReads(o *operands) (list []span) {
	for _, r := range o.reads {
		if r.first < uniformFile && !slices.Contains(o.writes, r) {
			list = append(list, r)
		}
	}
	return list
}

// unit is the instructions of a block that are pending in the unit, in order.
type unit struct {
	f       *flow
	results []int
	sources []int
}

// step takes a word: it returns the youngest results and sources that it must wait
// for, -1 for none.
func (u *unit) step(i int) (result, source int) {
	w, o := &u.f.words[i], &u.f.ops[i]
	result, source = -1, -1
	for _, at := range u.results {
		if own := u.f.ops[at].writes; overlap(own, o.reads) || !w.isDouble() && overlap(own, o.writes) {
			result = at
		}
	}
	u.results, u.sources = behind(u.results, result), behind(u.sources, result)
	if !w.isDouble() {
		for _, at := range u.sources {
			if overlap(lateReads(&u.f.ops[at]), o.writes) {
				source = at
			}
		}
		u.sources = behind(u.sources, source)
		return result, source
	}
	if len(o.writes) > 0 {
		u.results = append(u.results, i)
	}
	if len(lateReads(o)) > 0 {
		u.sources = append(u.sources, i)
	}
	return result, source
}

// behind returns what stands behind a word in a list in order.
func behind(list []int, at int) []int {
	for len(list) > 0 && list[0] <= at {
		list = list[1:]
	}
	return list
}

// freshBoards finds which instructions get scoreboards.
func freshBoards(f *flow) map[int]*fresh {
	need := map[int]*fresh{}
	get := func(at int) *fresh {
		if need[at] == nil {
			need[at] = &fresh{}
		}
		return need[at]
	}
	for b := range f.blocks {
		if !f.seen[b] {
			continue
		}
		u := unit{f: f}
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			result, source := u.step(i)
			if result >= 0 {
				get(result).wr = true
			}
			if source >= 0 {
				get(source).rd = true
			}
		}
		if last := &f.words[f.blocks[b].to-1]; len(f.blocks[b].next) == 0 && last.op() != opRET {
			continue
		}
		for _, at := range u.results {
			get(at).wr = true
		}
		if len(f.blocks[b].next) == 0 {
			u.sources = nil // what follows a return comes behind the results
		}
		for _, at := range u.sources {
			get(at).rd = true
		}
	}
	return need
}

// hasDouble reports whether a function counts on the latency of doubles.
func hasDouble(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.isDouble() })
}

// isUnderstood reports whether an instruction has operands that are decoded, or is one
// that has none.
func (w *word) isUnderstood() bool {
	switch w.op() {
	case opBRA, opBRAUnif, opBSSY, opBSYNC, opEXIT, opNOP, opMEMBAR, opERRBAR, opCGAERR, opDEPBAR, opENDCOLLECTIVE, opWARPSYNC,
		0xb1d, 0x98f, 0x95c, 0x95d, opYIELD, 0x942, 0x91e, opRET: // BAR.SYNC, CCTL, breaks and pauses
		return true
	}
	if w.isCall() {
		return true
	}
	always := *w
	always.put(12, 4, 7)
	o := always.operands()
	return len(o.reads)+len(o.writes) > 0
}

// hasPaced reports whether a function has an instruction for their unit.
func hasPaced(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.isPaced() })
}

// slow is change for a function with doubles; only one that nothing else is done to
// is fit for it. leaf says that it is a kernel without calls.
func (r *Result) slow(words []word, leaf, fit bool) (Result, int) {
	dead := -1
	if !fit {
		r.Unfit = true
		return *r, dead
	}
	for i := range words {
		if !words[i].isUnderstood() {
			r.Unfit = true // it may read what a double makes
			return *r, dead
		}
	}
	if leaf {
		words = repeated(words, make([]bool, len(words)), nil, false, r)
	}
	r.TooLarge = isLarge(words)
	if r.Moves != nil || r.TooLarge {
		r.Unfit = !r.TooLarge
		return *r, dead
	}
	if leaf = leaf && stackLoad(words); leaf {
		dead = 0
	}
	out, ok := slowed(words, leaf, r)
	r.Changed, r.Exact, r.Unfit, r.Text = ok, false, !ok, join(out)
	return *r, dead
}

// slowed makes the words for sm_103; in a leaf the stack pointer's scoreboard goes.
// false: some of them it can't be sure of.
func slowed(words []word, leaf bool, r *Result) (out []word, ok bool) {
	f := traceIn(words, blocksApart(words), true, nil)
	bitsWas := make([]yieldBits, len(f.blocks))
	f.fixed = true
	for b := range f.blocks {
		bitsWas[b] = f.bitsOf(&f.blocks[b])
	}
	f.fixed = false
	f.findLive()
	need := freshBoards(f)
	front := map[int][]word{}
	for b := range f.blocks {
		if !f.seen[b] {
			continue
		}
		p := f.restall(b, need)
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			w := &words[i]
			if s := p.stalls[i-f.blocks[b].from]; s != cycles(w) {
				w.setStall(s)
			}
			if w.isDouble() {
				w.setYield(w.stall() < longStall)
				w.hi &^= 0xf << reuseShift
			}
			if gap := p.gaps[i-f.blocks[b].from]; gap > 0 {
				front[i] = delay(&words[i-1], gap)
				if len(front[i]) > 0 {
					dropReuse(words[f.blocks[b].from:i])
				}
			}
		}
		f.setBits(&f.blocks[b], bitsWas[b], f.bitsOf(&f.blocks[b]))
	}
	out = rebuild(words, make([]bool, len(words)), front, r)
	r.Fillers = make([]int, len(words)+1)
	moved := map[int]*fresh{}
	for i, x := range need {
		moved[r.Moves[i]] = x
	}
	for i, list := range front {
		r.Fillers[i] = len(list)
	}
	a := &allocator{flow: traceIn(out, blocksApart(out), true, moved), paced: true}
	dead := -1
	if leaf && len(a.first[0]) > 0 {
		dead = a.first[0][0]
	}
	ok = a.reallocate(dead) && sound103(out)
	r.doubts = a.doubts
	return out, ok
}

// cycles returns the stall of an instruction, at least one.
func cycles(w *word) int { return max(1, w.stall()) }

// reuseShift is where the reuse bits begin, one for each source register.
const reuseShift = 58

// dropReuse clears the reuse bits of words in front of NOPs: what no word up to there
// reads in the same place is lost.
func dropReuse(words []word) {
	sources := [...]func(w *word) uint64{
		func(w *word) uint64 { return w.lo >> 24 & 0xff },
		func(w *word) uint64 { return w.lo >> 32 & 0xff },
		func(w *word) uint64 { return w.hi & 0xff },
	}
	for j := len(words) - 1; j >= max(0, len(words)-reuseReach); j-- {
		for k, source := range sources {
			later := func(w word) bool { return source(&w) == source(&words[j]) }
			if words[j].hi>>(reuseShift+k)&1 != 0 && !slices.ContainsFunc(words[j+1:], later) {
				words[j].hi &^= 1 << (reuseShift + k)
			}
		}
	}
}

// reuseReach is how far behind a word its source is taken again at most.
const reuseReach = 8

// delay waits that many cycles behind an instruction: by its stall, then by NOPs.
func delay(w *word, gap int) (nops []word) {
	up := min(maxStall, cycles(w)+gap)
	gap -= up - cycles(w)
	w.setStall(up)
	w.setYield(up < longStall && (!w.letsGo() || up <= shortStall))
	if gap > 0 {
		w.hi &^= 0xf << reuseShift
	}
	for gap > 0 {
		nop := word{lo: opNOP | 7<<12, hi: 0x000fc00000000000}
		nop.setStall(min(maxStall, gap))
		gap -= min(maxStall, gap)
		nops = append(nops, nop)
	}
	return nops
}
