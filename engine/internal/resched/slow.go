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
		if u.f.excludes(at, i) {
			continue
		}
		if own := u.f.ops[at].writes; overlap(own, o.reads) || !w.inUnit() && overlap(own, o.writes) {
			result = at
		}
	}
	u.results, u.sources = u.behind(u.results, result), u.behind(u.sources, result)
	if !w.inUnit() {
		for _, at := range u.sources {
			if !u.f.excludes(at, i) && overlap(lateReads(&u.f.ops[at]), o.writes) {
				source = at
			}
		}
		u.sources = u.behind(u.sources, source)
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

// behind returns what a wait for a word leaves of a list in order: those behind it, and
// those of the other kind.
func (u *unit) behind(list []int, at int) (left []int) {
	for _, x := range list {
		if at < 0 || x > at || u.f.words[x].isIMMA() != u.f.words[at].isIMMA() {
			left = append(left, x)
		}
	}
	return left
}

// youngest returns the youngest pending result of each kind.
func (u *unit) youngest() (list []int) {
	for k, at := range u.results {
		if !slices.ContainsFunc(u.results[k+1:], func(x int) bool { return u.f.words[x].isIMMA() == u.f.words[at].isIMMA() }) {
			list = append(list, at)
		}
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
		last := &f.words[f.blocks[b].to-1]
		if len(f.blocks[b].next) == 0 && last.op() != opRET {
			continue
		}
		results := u.results
		if last.op() == opRET {
			results = u.youngest()
		}
		for _, at := range results {
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
		if !words[i].isUnderstood() {
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
	out, ok := slowed(words, gone, leaf, how, r)
	r.Changed, r.Exact, r.Unfit, r.Text = ok, false, !ok, join(out)
	return *r, dead
}

// slowed makes the words for sm_103, but for those that are gone; in a leaf the stack
// pointer's scoreboard goes. false: some of them it can't be sure of.
func slowed(words []word, gone []bool, leaf bool, how Options, r *Result) (out []word, ok bool) {
	var kept Result // the code without delays
	f := undelayed(words, gone, &how, &kept)
	need := freshBoards(f)
	for b := range f.blocks {
		f.uncovered(&f.blocks[b], need)
	}
	times := f.spentBefore()
	after := f.respace(need)
	takeSchedules(words, f.words, kept.Moves)
	out = rebuild(words, gone, r.fillersInFront(after, kept.Moves), r)
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
	a := newPaced(traceIn(out, blocks(out), true, moved), timeWas, &how)
	dead := -1
	if leaf && len(a.first[0]) > 0 {
		dead = a.first[0][0]
	}
	ok = a.reallocate(dead) && sound103(out)
	r.doubts = a.doubts
	return out, ok
}

// newPaced gives out the scoreboards of code of sm_100 for sm_103. timeWas tells by word when it started.
func newPaced(f *flow, timeWas []int, how *Options) *allocator {
	a := &allocator{flow: f, rules: rules{paced: true}, timeWas: timeWas}
	if how.Late {
		a.rules = how.rulesAnew()
		a.paced, a.strange = true, true
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
	f := traceIn(left, blocks(left), true, nil)
	f.extra = make([]int, len(left))
	for i, n := range delays {
		f.extra[kept.Moves[i]] = n
	}
	f.strange, f.noTurns = how.Late, how.Unpaced
	f.filler = fillerOf(left, how.Late)
	f.paused = make([]bool, len(left))
	return f
}

// takeSchedules gives words the schedules of those that they became, but for their scoreboards.
func takeSchedules(words, from []word, moves []int) {
	const schedule = (1<<(64-stallShift) - 1) << stallShift
	for i, m := range moves {
		if m >= 0 {
			wr, rd := words[i].wr(), words[i].rd()
			words[i].hi = words[i].hi&^schedule | from[m].hi&schedule
			words[i].setWr(wr)
			words[i].setRd(rd)
		}
	}
}

// fillersInFront returns by word the fillers in front of it, of those in front of the words that they
// became, and counts them.
func (r *Result) fillersInFront(of map[int][]word, moves []int) map[int][]word {
	front := map[int][]word{}
	r.Fillers = make([]int, len(moves)+1)
	for i, m := range moves {
		if m >= 0 && len(of[m]) > 0 {
			front[i] = of[m]
			r.Fillers[i] = len(front[i])
		}
	}
	return front
}

// spentBefore returns by word how many cycles go by up to it.
func (f *flow) spentBefore() []int {
	times := make([]int, len(f.words))
	for i := 1; i < len(times); i++ {
		times[i] = times[i-1] + f.spends(i-1)
	}
	return times
}

// dropDelays marks as gone the NOPs that go on with the longest stall, and returns by the
// word in front how long; by a block's last word those in front of it that count on its stall.
// Other NOPs stand for something.
func dropDelays(words []word, gone []bool) map[int]int {
	delays := map[int]int{}
	for _, b := range blocks(words) {
		last := -1
		for i := b.from; i < b.to; i++ {
			switch w := &words[i]; {
			case gone[i]:
			case last >= 0 && w.isFiller() && words[last].stall() == maxStall, last >= 0 && w.isPause():
				gone[i] = true
				delays[last] += cycles(w)
			case w.isFiller() && i+2 == b.to && words[i+1].endsBlock() && words[i+1].stall() == maxStall && hasMatrices(words[b.from:b.to]):
				gone[i] = true
				delays[i+1] += cycles(w)
			default:
				last = i
			}
		}
	}
	return delays
}

// respace gives the words of a flow their new stalls, yield and reuse bits; it returns by
// word the NOPs in front of it.
func (f *flow) respace(need map[int]*fresh) map[int][]word {
	words, front := f.words, map[int][]word{}
	was := make([]yieldBits, len(f.blocks))
	f.fixed = true
	for b := range f.blocks {
		was[b] = f.bitsOf(&f.blocks[b])
	}
	f.fixed = false
	f.findLive()
	for b := range f.blocks {
		if !f.seen[b] {
			continue
		}
		bl := &f.blocks[b]
		p := f.restall(b, need)
		for i := bl.from; i < bl.to; i++ {
			w := &words[i]
			if s := p.stalls[i-bl.from]; s != cycles(w) {
				w.setStall(s)
			}
			if w.inUnit() {
				w.setYield(w.stall() < longStall)
				if !f.strange || !w.isIMMA() {
					w.hi &^= 0xf << reuseShift
				}
			}
			if f.filler.lets && w.isDMMA() {
				w.hi &^= 0xf << reuseShift
			}
			if gap := p.gaps[i-bl.from]; gap > 0 {
				with := f.fillerIn(bl)
				front[i] = with.delay(&words[i-1], gap)
				switch {
				case len(front[i]) == 0:
				case with.lets:
					f.paused[i-1] = true
				default:
					f.dropReuse(bl.from, i)
				}
			}
		}
		f.setBits(bl, was[b], f.bitsOf(bl), false)
		for i := bl.from; i < bl.to; i++ {
			if f.paused[i] {
				words[i].setYield(true)
			}
		}
	}
	return front
}

// cycles returns the stall of an instruction, at least one.
func cycles(w *word) int { return max(1, w.stall()) }

// reuseShift is where the reuse bits begin, one for each source register.
const reuseShift = 58

// dropReuse clears the reuse bits of words in front of NOPs: what no word up to there
// reads in the same place is lost.
func (f *flow) dropReuse(from, to int) {
	words := f.words[from:to]
	sources := [...]func(w *word) uint64{
		func(w *word) uint64 { return w.lo >> 24 & 0xff },
		func(w *word) uint64 { return w.lo >> 32 & 0xff },
		func(w *word) uint64 { return w.hi & 0xff },
	}
	for j := len(words) - 1; j >= max(0, len(words)-reuseReach); j-- {
		if f.strange && words[j].isIMMA() {
			continue
		}
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

// unhold takes the scoreboards from doubles, which some releases give them on sm_100 too.
func unhold(words []word) {
	for i := range words {
		if w := &words[i]; w.inUnit() {
			w.setWr(noBoard)
			w.setRd(noBoard)
		}
	}
}
