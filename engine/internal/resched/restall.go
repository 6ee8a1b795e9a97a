package resched

// Stalls of a block whose doubles have no fixed latency any more. ptxas stalls as
// late and as little as it can: the word before a consumer has what is left of
// the producer's latency. So where the latency of a double explains a stall of the
// input to the cycle, it falls to what the next longest wait asks for, and stalls
// after it may rise.

// shortStall is the longest stall with which an instruction of fixed latency keeps
// its yield bit.
const shortStall = 2

// stallPlan is what becomes of the stalls of a block.
type stallPlan struct {
	stalls []int
	gaps   []int // by word: cycles before it until the unit takes it

	inFront int  // of what the end asks for, the cycles that are before the last word
	moved   bool // some word starts at another time
}

// restalling is a block whose words get other stalls.
type restalling struct {
	*flow
	*block
	stallPlan
	startTimes
	before producers
	since  int // the last word in the unit, -1 for none
}

// restall makes the stalls of a block.
func (f *flow) restall(b int, need map[int]*fresh) stallPlan {
	bl := &f.blocks[b]
	n := bl.to - bl.from
	r := restalling{flow: f, block: bl, since: -1, startTimes: startTimes{make([]int, n+1), make([]int, n+1)},
		stallPlan: stallPlan{stalls: make([]int, n), gaps: make([]int, n)}}
	for k := range n {
		r.was[k+1] = r.was[k] + f.spends(bl.from+k)
	}
	for k := range n {
		if k > 0 {
			r.begin(k, max(r.stallBefore(k), f.untilSeen(bl, bl.from+k, need)))
		}
		r.takeTurn(k)
		r.before.add(bl.from+k, &f.words[bl.from+k], &f.ops[bl.from+k])
	}
	r.begin(n, f.stallAtEnd(bl, r.was, r.is))
	r.inFront = max(0, r.is[n]-r.is[n-1]-r.stalls[n-1])
	return r.stallPlan
}

// begin starts word k of the block, or what follows it, so many cycles after the word in front.
func (r *restalling) begin(k, stall int) {
	i := r.from + k
	r.is[k] = r.is[k-1] + stall
	r.stalls[k-1] = stall
	if most := r.most(i - 1); stall > most {
		r.stalls[k-1] = most
		if k < len(r.gaps) {
			r.gaps[k] = stall - most
		}
	}
	r.moved = r.moved || r.is[k] != r.was[k]
}

// most is how long word i of the block stalls at most; fillers take what is left.
func (r *restalling) most(i int) int {
	if n := r.fillerIn(r.block).most; r.older || r.extra[i] > 0 || cycles(&r.words[i]) <= n {
		return n
	}
	return maxStall
}

// takeTurn lets word k of the block wait until the unit takes it.
func (r *restalling) takeTurn(k int) {
	w := &r.words[r.from+k]
	if w.waitsTurn() {
		if r.since >= 0 {
			if gap := r.turnOf(r.from+r.since) - (r.is[k] - r.is[r.since]); gap > 0 {
				r.gaps[k] += gap
				r.is[k] += gap
				r.moved = true
			}
		}
		r.since = k
	}
	if w.op() == opENDCOLLECTIVE {
		r.since = -1 // lanes of a block of their own
	}
}

// spends returns how many cycles go by from a word to the next: its stall, and what the
// NOPs take that was after it.
func (f *flow) spends(i int) int {
	n := cycles(&f.words[i])
	if f.extra != nil {
		n += f.extra[i]
	}
	return n
}

// untilSeen returns the stall that the word before word i needs at least for waits
// to see its scoreboards: two cycles.
func (f *flow) untilSeen(bl *block, i int, need map[int]*fresh) int {
	before := &f.words[i-1]
	if f.soon != nil && f.soon[i-1] {
		return shortStall
	}
	if !f.strange && i == bl.to-1 && before.takesTurn() && (before.wr() != noBoard || before.rd() != noBoard) {
		return shortStall
	}
	if x := need[i-1]; x != nil {
		own, o, both := &f.ops[i-1], &f.ops[i], !f.excludes(i-1, i)
		inOrder := f.noTurns && f.words[i].inUnit()
		if !f.strange && i == bl.to-1 && !before.isIMMA() || both && x.wr && (overlap(own.writes, o.reads) || !inOrder && overlap(own.writes, o.writes)) || both && x.rd && !inOrder && overlap(lateReads(own), o.writes) {
			return shortStall
		}
	}
	return 1
}

// waitsOn reports whether a word waits for a scoreboard that another holds.
func (w *word) waitsOn(before *word) bool {
	mask := w.wait()
	return before.wr() < boards && mask>>before.wr()&1 != 0 || before.rd() < boards && mask>>before.rd()&1 != 0
}

// waitsFor reports whether a word that has operands o waits for the scoreboards of
// another.
func (f *flow) waitsFor(w *word, own, o *operands) bool {
	return w.wr() != noBoard && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) ||
		w.rd() != noBoard && overlap(own.reads, o.writes)
}
