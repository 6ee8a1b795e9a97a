package resched

// The clock of a block: when its words start, by stalls and by waits.

// latencies say how many cycles a token holds its scoreboard: from so many on a wait at the end
// of its block is free. Source: 372 files of public libraries by ptxas 13.0, where LDS, LDC and LDCU
// tell it to the cycle or two; S2R and S2UR: chains of products between one and a loop, longer by a cycle
// at a time, and choices where no scoreboard was free, nvlink 13.1.115 to 13.5.37.
var latencies = [...]int{kindSlow: 400, kindS2R: 32, kindS2UR: 24, kindLDS: 40, kindLDC: 48, kindLDCU: 18, kindShuffle: 24, kindDouble: 2, kindCount: 15, kindConvert: 15, kindMUFU: 17, kindOther: 16}

// latency is how many cycles a token holds its scoreboard, about.
func (a *allocator) latency(t int) int {
	tok := &a.tokens[t]
	w := &a.words[tok.at]
	if a.paced && w.isPaced() {
		return inUnit - 1 // who waits for it right behind loses nothing: it stalls for inUnit then
	}
	if n, ok := a.latencyAnew(t); ok {
		return n
	}
	switch {
	case tok.read:
		return w.sourcesRead()
	case w.isIMMA():
		return pace
	case a.paced && w.kind() == kindMUFU:
		return latestMUFU
	default:
		return latencies[w.kind()]
	}
}

// How many cycles some instructions hold scoreboards in code made anew. Source: chains of products of integers between
// one and a loop, longer by a cycle at a time, by ptxas 13.0.88 for sm_100 and sm_120 through nvlink 13.5.37.
const (
	convertDouble     = 15 // conversions to and from doubles
	convertDoubleRead = 9
	convertDoubleSoon = 12 // but for I2F on sm_120, at most
	voteTakes         = 24 // MATCH and REDUX
	matchRead         = 11 // at most
	constantRead      = 8
	mufu120           = 18 // on sm_120
)

// latencyAnew is latency of code made anew, false where that is none of its own.
func (a *allocator) latencyAnew(t int) (cycles int, ok bool) {
	tok := &a.tokens[t]
	w := &a.words[tok.at]
	switch {
	case a.method != allAnew:
		return 0, false
	case w.isPaced() && !w.isDouble():
		return a.convertsWide(w, tok.read), true
	case tok.read && w.op() == opMATCH:
		return matchRead, true
	case tok.read && w.kind() == kindLDC:
		return constantRead, true
	case tok.read:
		return 0, false
	case w.op() == opMATCH, w.op() == opREDUX:
		return voteTakes, true
	case w.kind() == kindMUFU && a.sm120:
		return mufu120, true
	case w.isSYNCS():
		return latencies[kindLDS], true // it works on shared memory, too
	}
	return 0, false
}

// isWideI2F reports whether an instruction makes a double of an integer.
func (w *word) isWideI2F() bool {
	switch w.op() {
	case 0x312, 0x912, 0xd12:
		return true
	}
	return false
}

// convertsWide is how many cycles a conversion to or from a double holds the scoreboard of its sources, or of its results.
func (a *allocator) convertsWide(w *word, read bool) int {
	switch {
	case read:
		return convertDoubleRead
	case a.sm120 && !w.isWideI2F():
		return convertDoubleSoon
	}
	return convertDouble
}

// clockOf is clock, made once.
func (a *allocator) clockOf(b int) []int {
	if a.clocks[b] == nil {
		a.clocks[b] = a.clock(b)
	}
	return a.clocks[b]
}

// cycles returns how long after a word of a block a later one starts, waits included.
func (a *allocator) cycles(b, from, to int) int {
	clock, first := a.clockOf(b), a.blocks[b].from
	return clock[to-first] - clock[from-first]
}

// clock returns when each word of a block starts, by stalls and by the waits for the block's own
// tokens, and the end.
func (a *allocator) clock(b int) []int {
	bl := &a.blocks[b]
	if a.method == allAnew {
		return a.clockBy(bl, a.leastPauses(bl))
	}
	return a.clockBy(bl, a.stalls(bl))
}

// clockBy is clock, told how long after the word in front each word starts.
func (a *allocator) clockBy(bl *block, pause func(k int, at []int) int) []int {
	at := make([]int, bl.to-bl.from+1)
	ready := make(map[int]int)
	for i := bl.from; i <= bl.to; i++ {
		k := i - bl.from
		if k > 0 {
			at[k] = at[k-1] + pause(k, at)
		}
		if r, ok := ready[i]; ok {
			at[k] = max(at[k], r)
		}
		if i == bl.to {
			break
		}
		for _, t := range a.first[i] {
			if p := a.tokens[t].point; p > i && !a.tokens[t].dead {
				ready[p] = max(ready[p], at[k]+a.latency(t))
			}
		}
	}
	return at
}

// stalls returns how long after the word in front word k of a block starts by its stall.
func (a *allocator) stalls(bl *block) func(k int, at []int) int {
	return func(k int, _ []int) int { return max(1, a.words[bl.from+k-1].stall()) }
}

// leastPauses is stalls where waits shorten them; it is asked for one word after the other, and for
// the end.
//
// That is the stall, but less where the word only had to be so far from one before that, and a wait
// in between took as long: a stall after a BAR is for access to memory.
// Source: stores, loads and sums before loops, put to nvlink 13.5.37; stores before some
// 200 guarded EXITs, put to nvlink 13.0.88 with -g.
func (a *allocator) leastPauses(bl *block) func(k int, at []int) int {
	stalls := a.stalls(bl)
	p := a.newSpacing(bl, a.same)
	return func(k int, at []int) int {
		p.add(bl.from + k - 1)
		stall := stalls(k, nil)
		if bl.from+k == bl.to {
			return stall
		}
		p.was[k] = p.was[k-1] + stall
		p.is = at
		least := p.leastBefore(k)
		switch {
		case a.words[bl.from+k-1].op() == opBAR && !a.words[bl.from+k].isShared():
			return p.leastOfOperands(k)
		case stall > least.was:
			return max(stall, least.is) // for a reason that isn't known
		}
		return least.is
	}
}
