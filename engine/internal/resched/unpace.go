package resched

// Up to 13.3 ptxas paces the doubles of sm_103 and up: where two come within 64 cycles, the
// stall before the second grows, and NOPs are before it. From 13.4 on nvlink takes
// the pacing out again.
//
// Source: code of ptxas 13.0 to 13.3 through nvlink 13.4.92 and 13.5.37.

// FillersOf returns the NOPs of code that pace doubles.
func FillersOf(text []byte) (list []int) {
	words := split(text)
	for _, b := range blocks(words) {
		for i := b.from + 1; i < b.to; i++ {
			if !words[i].isPaced() {
				continue
			}
			first := i
			for first > b.from+1 && words[first-1].isFiller() {
				first--
			}
			if first == i || words[first-1].stall() != maxStall {
				continue
			}
			for k := first; k < i; k++ {
				list = append(list, k)
			}
		}
	}
	return list
}

// isFiller reports whether a word is a NOP that takes time and nothing else.
func (w *word) isFiller() bool {
	const always = 7
	return w.op() == opNOP && w.guard() == always && w.waitMask() == 0 && w.wr() == noBoard && w.rd() == noBoard
}

// cyclesOf adds the cycles of fillers that are gone, by the word that they was before.
func (r *Result) cyclesOf(fillers []int, to []int) {
	words, k, sum := split(r.Text), 0, 0
	for i, m := range r.Moves {
		if k < len(fillers) && fillers[k] == i {
			sum += cycles(&words[i])
			k++
		} else if m >= 0 {
			to[m], sum = sum, 0
		}
	}
}

// doubleLatency returns how far a double follows what makes a source of it, 0 where
// that isn't known. Source: code for sm_120 of ptxas 13.5.37.
func (w *word) doubleLatency(from *word, h hazard) int {
	const (
		vector, conversion, uniform = 6, 4, 2

		ofInteger = 0x112 // conversions
		ofFloat   = 0x110

		always = 7
	)
	switch {
	case !w.isPaced() || h == hazardUnit || h == hazardNext || h == hazardOver && w.guard()&7 == always || h == hazardGuard || h == hazardPredicate:
	case from.isUniformMove() && h >= hazardUniform && h < hazardUnit:
		return uniform
	case !from.isVector() || from.isPaced():
	case w.op()&0x1ff == ofInteger || w.op()&0x1ff == ofFloat:
		if from.isPairSum() || from.isPairMove() || from.isPairLogic() {
			return conversion + 1
		}
		return conversion
	case from.isPairSum() || from.isPairMove():
		return vector + 1
	default:
		return vector
	}
	return 0
}

// isUniformMove reports whether a word moves to a uniform register.
func (w *word) isUniformMove() bool { return w.op()&0xff == 0x82 }

// HoldsManySources reports whether any word of code holds one of the last scoreboards for its
// sources: 13.5 gives those out in another order than 13.3 and 13.4 do.
func HoldsManySources(text []byte) bool {
	const many = 4
	for _, w := range split(text) {
		if rd := w.rd(); rd >= many && rd < boards {
			return true
		}
	}
	return false
}

// untilBoards returns the stall of word k of the block, not so short that a wait of the next
// one wouldn't see its scoreboards.
func (p *spacing) untilBoards(k, stall int) int {
	w, next := &p.words[p.from+k], &p.words[p.from+k+1]
	held := uint8(1)<<w.wr() | uint8(1)<<w.rd()
	if next.wait()&held&allBoards != 0 {
		return max(stall, apart)
	}
	return stall
}

// keepsOn sets the yield bit of a word that holds scoreboards and stalls so long.
func (w *word) keepsOn(stall int) {
	if w.wr() != noBoard || w.rd() != noBoard || w.isPaced() {
		w.setYield(stall < longStall)
	}
}
