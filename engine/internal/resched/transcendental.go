package resched

import "slices"

// The transcendental unit on sm_103. POPC isn't one of its instructions any more, and what follows an EX2
// there comes sooner, so that neither answers for the other's results.

// unitPace is how many cycles apart the transcendental unit takes two instructions, afterPower how many
// after an EX2 on sm_103.
const (
	unitPace   = 8
	afterPower = 4
)

// isTranscendental reports whether an instruction of sm_100 is one of the
// transcendental unit.
func (w *word) isTranscendental() bool { return w.op()&0x1f0 == 0x100 || w.isPaced() && !w.isDouble() }

const (
	opMUFU, opPOPC = 0x308, 0x309

	functionField = 74 // of MUFU
	functionEX2   = 2
)

// isEX2 reports whether an instruction makes a power of two. sm_103 takes what follows it in the unit
// sooner.
func (w *word) isEX2() bool {
	return w.op()&^0xe00|0x300 == opMUFU && w.field(functionField, 4) == functionEX2
}

// leavesUnit reports whether an instruction of that unit isn't one of it on sm_103: POPC, and conversions of
// doubles. Source: all pairs of POPC, FLO, BREV, MUFU, F2I, FRND and I2F put to nvlink 13.0.88.
func (w *word) leavesUnit() bool { return w.op()&^0xe00|0x300 == opPOPC || w.isPaced() }

// hasQuicker reports whether two instructions stand so near in a block that the later one may have waited for
// the unit, which it need not as long on sm_103.
func hasQuicker(words []word) bool {
	for _, b := range blocks(words) {
		at, last := 0, -unitPace-1
		before := (*word)(nil)
		for i := b.from; i < b.to; i++ {
			w := &words[i]
			if w.isTranscendental() {
				if at-last <= unitPace && (before.isEX2() || before.leavesUnit() || w.leavesUnit()) {
					return true
				}
				last, before = at, w
			}
			at += cycles(w)
		}
	}
	return false
}

// quicken gives code without doubles the stalls of sm_103. It reports whether it did: there may be words that it
// doesn't know.
func (c *changing) quicken() bool {
	if slices.ContainsFunc(c.words, func(w word) bool { return !w.isUnderstood() }) {
		return false
	}
	f := traceIn(c.words, blocks(c.words), true, nil)
	f.extra = make([]int, len(c.words))
	f.strange, f.noTurns = c.how.Late, c.how.Unpaced
	f.filler = fillerOf(c.words, c.how.Late)
	f.paused = make([]bool, len(c.words))
	f.respace(map[int]*fresh{})
	return true
}

// unitApart returns the stall that the transcendental unit asks for before word i, and asked
// for on sm_100.
// isOther says that the input has its stall for what isn't one of the unit any more, or for an EX2.
func (f *flow) unitApart(bl *block, i int, was, is []int) (stall, old int, isOther bool) {
	w, k := &f.words[i], i-bl.from
	if !w.isTranscendental() {
		return 0, 0, false
	}
	for j, first := i-1, true; j >= bl.from && was[k]-was[j-bl.from] <= 2*unitPace; j-- {
		q := &f.words[j]
		if !q.isTranscendental() {
			continue
		}
		if first && (q.leavesUnit() || w.leavesUnit()) {
			isOther = was[k]-was[j-bl.from] == unitPace
		}
		first = false
		if w.leavesUnit() || q.leavesUnit() {
			continue
		}
		pace := unitPace
		if q.isEX2() {
			pace = afterPower
			isOther = isOther || was[k]-was[j-bl.from] == unitPace
		}
		apart := was[k] - was[j-bl.from]
		return is[j-bl.from] + min(pace, apart) - is[k-1], was[j-bl.from] + min(unitPace, apart) - was[k-1], isOther
	}
	return 0, 0, isOther
}

// hasUncovered reports whether there are results of the unit that another instruction's scoreboard doesn't
// answer for on sm_103.
func hasUncovered(words []word) bool {
	if !slices.ContainsFunc(words, func(w word) bool { return w.isBareMUFU() }) {
		return false
	}
	f := &flow{words: words, blocks: blocks(words), ops: make([]operands, len(words))}
	for i := range words {
		f.ops[i] = words[i].operands()
	}
	more := make(map[int]*fresh)
	for b := range f.blocks {
		f.uncovered(&f.blocks[b], more)
	}
	return len(more) > 0
}

// isBareMUFU reports whether an instruction of the unit has a result and no scoreboard for it: that of a
// later one answers for it, since the unit works in order.
func (w *word) isBareMUFU() bool { return w.isTranscendental() && !w.isPaced() && w.wr() == noBoard }

// uncovered finds results in a block for which another instruction's scoreboard answers on sm_100: on sm_103 an EX2 doesn't
// for what isn't one, nor does that for an EX2. Those get scoreboards of their own.
func (f *flow) uncovered(bl *block, more map[int]*fresh) {
	for i := bl.from; i < bl.to; i++ {
		w := &f.words[i]
		if !w.isBareMUFU() {
			continue
		}
		covered, other := false, false
		for j := i + 1; j < bl.to && !overlap(f.ops[i].writes, f.ops[j].reads) && !overlap(f.ops[i].writes, f.ops[j].writes); j++ {
			switch q := &f.words[j]; {
			case !q.isTranscendental() || q.wr() == noBoard:
			case !q.isPaced() && q.isEX2() == w.isEX2():
				covered = true
			default:
				other = true
			}
		}
		if other && !covered {
			more[i] = &fresh{wr: true}
		}
	}
}

// latestMUFU is how many cycles the result of a MUFU takes on sm_103 for a free wait, one more than on
// sm_100. Source: 21 of real programs by nvlink 13.0.88.
const latestMUFU = 18

// hasLateMUFU reports whether a block's end waits for a MUFU that is complete there on sm_100 alone.
func hasLateMUFU(words []word) bool {
	for _, b := range blocks(words) {
		last := &words[b.to-1]
		for i, at := b.to-2, cycles(&words[max(b.from, b.to-2)]); i >= b.from && at < latestMUFU; i-- {
			w := &words[i]
			if at == latestMUFU-1 && w.kind() == kindMUFU && w.wr() < boards && last.wait()>>w.wr()&1 != 0 {
				return true
			}
			if i > b.from {
				at += cycles(&words[i-1])
			}
		}
	}
	return false
}

// apartInUnit is leastApart of two instructions of which the later one doesn't wait for the unit on sm_103, or
// less long.
func apartInUnit(from, to *word, least int) int {
	switch {
	case !from.isTranscendental() || !to.isTranscendental():
	case from.leavesUnit() || to.leavesUnit():
		return 1
	case from.isEX2():
		return min(least, afterPower)
	}
	return least
}

// tooSoon returns the scoreboards that the last word of a block waits for on sm_100 alone, since a MUFU is
// complete there sooner.
func (a *allocator) tooSoon(b, last int, is, was bitset) (mask uint8) {
	held := uint8(0)
	is.each(func(t int) {
		if board := uint8(1) << a.tokens[t].now; a.isLateMUFU(b, t) && !a.needs(t, last, was) {
			mask |= board
		} else {
			held |= board
		}
	})
	return mask &^ held
}

// isLateMUFU reports whether a token is of a result of a MUFU that isn't complete at the end of its block, b.
func (a *allocator) isLateMUFU(b, t int) bool {
	tok := &a.tokens[t]
	return a.paced && tok.block == b && !tok.read && a.words[tok.at].kind() == kindMUFU &&
		a.time[a.blocks[b].to-1]-a.time[tok.at] < latestMUFU
}

// hasHalves reports whether a comparison of halves reads a predicate as an operand, or a PLOP3 or P2R right after
// reads what one made: on sm_103 nvlink was seen to stall for less before either.
func hasHalves(words []word) bool {
	const (
		kindHSETP2 = 0x34
		opPLOP3    = 0x81c
		near       = 5 // cycles
	)
	for _, b := range blocks(words) {
		for i := b.from; i < b.to; i++ {
			w := &words[i]
			if kindOf(w) != kindHSETP2 {
				continue
			}
			if w.field(ppField, 3) != 7 {
				return true
			}
			made := w.operands().writes
			for j, at := i+1, cycles(w); j < b.to && at <= near; j++ {
				if q := &words[j]; (q.op() == opPLOP3 || q.op() == opP2R) && overlap(made, q.operands().reads) {
					return true
				}
				at += cycles(&words[j])
			}
		}
	}
	return false
}
