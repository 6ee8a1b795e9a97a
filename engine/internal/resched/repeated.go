package resched

// Kinds of MEMBAR, by the upper half's low 16 bits.
const (
	membarCTA = 0x8000 // of the block
	membarEnd = 0x5000 // before a kernel's EXIT, with -g

	dummyLoads = 4 // at most so many loads that never happen stand before one
)

// repeated removes barriers that others make needless: a block's before another,
// and the one at a kernel's end; and before any the loads that never happen.
// Branches are aimed anew, and the code is padded to eight words.
func repeated(words []word, keeps func(word int) bool, r *Result) []word {
	gone := make([]bool, len(words))
	any := false
	for i := range words {
		w := &words[i]
		if w.op() != opMEMBAR {
			continue
		}
		for j := i - 1; j >= 0 && i-j <= dummyLoads && words[j].op() == opLDS && words[j].guard() == guardNever; j-- {
			gone[j], any = true, true
		}
		switch kind := w.hi & 0xffff; {
		case keeps != nil && keeps(i):
		case kind == membarEnd, kind == membarCTA && i+1 < len(words) && words[i+1].op() == opMEMBAR:
			gone[i], any = true, true
		}
	}
	if !any {
		return words
	}
	return rebuild(words, gone, nil, r)
}

// fence puts in front of every EXIT what makes errors known before a kernel
// ends, under the EXIT's predicate. The second result is false where there is
// none to fence.
func fence(words []word, r *Result) ([]word, bool) {
	const (
		guardBits  = 0xf << 12
		exitTruth  = 7 << (87 - 64) // EXIT's own predicate
		lastFenced = opCGAERR
		exitStall  = 5
	)
	front := make(map[int][]word)
	for i := range words {
		w := &words[i]
		if w.op() != opEXIT || i > 0 && words[i-1].op() == lastFenced {
			continue
		}
		if w.hi&0x3ffffffffff&^(1<<41-1) != 0 && w.hi&(0xf<<(87-64)) != exitTruth {
			r.Exact = false
			continue
		}
		if i > 0 && words[i-1].op() == opSUST {
			r.Exact = false // its stall changes
		}
		w.setStall(exitStall)
		g := w.lo & guardBits
		front[i] = []word{
			{lo: opMEMBAR | g, hi: membarEnd | 0x000fc00000000000},
			{lo: opERRBAR | g, hi: 0x000fc00000000000},
			{lo: opCGAERR | g, hi: 0x000fec0000000000},
		}
		r.Fenced = append(r.Fenced, i)
	}
	if len(front) == 0 {
		return words, false
	}
	return rebuild(words, make([]bool, len(words)), front, r), true
}

// tailWords is a bound of the padding: the code is a multiple of 8 words, with at
// least 9 of them behind its end.
const (
	tailMin   = 9
	codeAlign = 8
)

// rebuild removes words and puts others in front of some.
func rebuild(words []word, gone []bool, front map[int][]word, r *Result) []word {
	end := len(words)
	for end > 0 && words[end-1].op() == opNOP {
		end--
	}
	r.Moves, r.Starts = make([]int, len(words)), make([]int, len(words)+1)
	var out []word
	var from []int // by word of the output; -1 is new
	for i := range words {
		r.Starts[i], r.Moves[i] = len(out), -1
		if i >= end || gone[i] {
			continue
		}
		for _, w := range front[i] {
			out, from = append(out, w), append(from, -1)
		}
		r.Moves[i] = len(out)
		out, from = append(out, words[i]), append(from, i)
	}
	for k := range out {
		if from[k] < 0 {
			continue
		}
		if t, ok := out[k].branchTarget(from[k]); ok && t >= 0 && t < end {
			out[k].setBranchTarget(k, r.Starts[t])
		}
	}
	// The trap behind the end is one word, the rest NOPs.
	total := (len(out) - 1 + tailMin + codeAlign - 1) / codeAlign * codeAlign
	nop := word{lo: opNOP | 7<<12, hi: 0x000fc00000000000}
	for len(out) < total {
		out = append(out, nop)
	}
	r.Starts[len(words)] = len(out)
	return out
}
