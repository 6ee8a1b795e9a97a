package resched

// Jumps are the words that branches by a register may go to, by the branch's word.
type Jumps map[int][]int

// tellAll reports whether they tell of every branch by a register in the code.
func (j Jumps) tellAll(words []word) bool {
	for i := range words {
		if words[i].isIndexed() && len(j[i]) == 0 {
			return false
		}
	}
	return true
}

// moved returns them for words that went elsewhere, as a Result tells.
func (j Jumps) moved(r *Result) Jumps {
	if r.Moves == nil {
		return j
	}
	out := make(Jumps, len(j))
	for i, targets := range j {
		if i >= len(r.Moves) || r.Moves[i] < 0 {
			continue
		}
		for _, t := range targets {
			if t >= 0 && t < len(r.Starts) {
				out[r.Moves[i]] = append(out[r.Moves[i]], r.Starts[t])
			}
		}
	}
	return out
}

// markStarts marks where they lead as the first words of blocks.
func (j Jumps) markStarts(starts []bool) {
	for _, targets := range j {
		for _, t := range targets {
			if t >= 0 && t < len(starts) {
				starts[t] = true
			}
		}
	}
}
