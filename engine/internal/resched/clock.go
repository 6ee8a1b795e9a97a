package resched

// The clock of a block: when its words start, by stalls and by waits.

// latencies say how many cycles a token holds its scoreboard: from so many on a wait at the end
// of its block is free. Source: 372 files of public libraries by ptxas 13.0, where LDS, LDC and LDCU
// tell it to the cycle or two; of S2R and S2UR the choices where no scoreboard was free.
var latencies = [...]int{kindSlow: 400, kindS2R: 45, kindS2UR: 30, kindLDS: 40, kindLDC: 48, kindLDCU: 18, kindShuffle: 24, kindDouble: 2, kindCount: 15, kindConvert: 15, kindMUFU: 17, kindOther: 16}

// latency is how many cycles a token holds its scoreboard, about.
func (a *allocator) latency(t int) int {
	tok := &a.tokens[t]
	switch w := &a.words[tok.at]; {
	case a.paced && w.isPaced():
		return inUnit - 1 // who waits for it right after loses nothing: it stalls for inUnit then
	case a.method == allAnew && w.isWideI2F():
		return w.convertsWide(tok.read)
	case tok.read:
		return w.sourcesRead()
	case w.isIMMA():
		return pace
	case a.paced && w.kind() == kindMUFU:
		return latestMUFU
	case a.method == allAnew && w.isSYNCS():
		return latencies[kindLDS] // it works on shared memory, too
	default:
		return latencies[w.kind()]
	}
}

// How many cycles an I2F to doubles holds the scoreboards of its results and of its sources in rescheduled code, as
// other conversions do. Source: 200 kernels with loops by ptxas 13.0.88 through nvlink 13.5.37.
const (
	wideI2F     = 15
	wideI2FRead = 9
)

// isWideI2F reports whether an instruction makes a double of an integer.
func (w *word) isWideI2F() bool {
	switch w.op() {
	case 0x312, 0x912, 0xd12:
		return true
	}
	return false
}

// convertsWide is how many cycles it holds the scoreboard of its sources, or of its results.
func (w *word) convertsWide(read bool) int {
	if read {
		return wideI2FRead
	}
	return wideI2F
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
			return 1
		case stall > least.was:
			return max(stall, least.is) // for a reason that isn't known
		}
		return least.is
	}
}
