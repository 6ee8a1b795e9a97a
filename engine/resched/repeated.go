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
func repeated(words []word) ([]word, []int) {
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
		case kind == membarEnd, kind == membarCTA && i+1 < len(words) && words[i+1].op() == opMEMBAR:
			gone[i], any = true, true
		}
	}
	if !any {
		return words, nil
	}
	return compact(words, gone)
}

// tailWords is a bound of the padding: the code is a multiple of 8 words, with at
// least 9 of them behind its end.
const (
	tailMin   = 9
	codeAlign = 8
)

// compact removes words.
func compact(words []word, gone []bool) ([]word, []int) {
	end := len(words)
	for end > 0 && words[end-1].op() == opNOP {
		end--
	}
	moves := make([]int, len(words)+1)
	var out []word
	var from []int
	for i := range words {
		moves[i] = len(out)
		if gone[i] || i >= end {
			continue
		}
		out = append(out, words[i])
		from = append(from, i)
	}
	for i := end; i <= len(words); i++ {
		moves[i] = len(out) + i - end
	}
	for k := range out {
		if t, ok := out[k].branchTarget(from[k]); ok && t >= 0 && t <= len(words) {
			out[k].setBranchTarget(k, moves[t])
		}
	}
	// The trap behind the end is one word, the rest NOPs.
	total := (len(out) - 1 + tailMin + codeAlign - 1) / codeAlign * codeAlign
	nop := word{lo: opNOP | 7<<12, hi: 0x000fc00000000000}
	if end < len(words) {
		nop = words[end]
	}
	for len(out) < total {
		out = append(out, nop)
	}
	for i := range gone {
		if gone[i] {
			moves[i] = -1
		}
	}
	return out, moves
}
