package resched

import "math/bits"

// Lost is a token that has no wait before a word that uses its registers.
type Lost struct {
	At   int  // word of the input that holds the scoreboard
	Read bool // it is held until the sources are read
	User int  // word of the input that uses them too early
}

// lost compares a kernel with what became of it. A token may be pending at a
// word of the output only where it is in the input, or where the word doesn't
// touch its registers. It returns the first that breaks this rule, nil if none
// does. moves tells where words of the input went, as Result.Moves; nil where
// all stayed; starts as Result.Starts, since what stands in front of a word may
// wait for it. dead is the word whose scoreboard was taken away, -1 for none.
func lost(in, out []word, moves, starts []int, dead int) *Lost {
	f := trace(in)
	at := func(i int) *word {
		switch {
		case moves == nil:
			return &out[i]
		case moves[i] < 0:
			return nil
		}
		return &out[moves[i]]
	}
	waits := func(i int) (mask uint8) {
		if moves == nil {
			return out[i].wait()
		}
		for k := starts[i]; k <= moves[i]; k++ {
			mask |= out[k].wait()
		}
		return mask
	}
	// board gives the scoreboard of a token in the output, noBoard where it has
	// none any more.
	board := func(t int) int {
		tok := &f.tokens[t]
		w := at(tok.at)
		switch {
		case w == nil || tok.at == dead && !tok.read:
			return noBoard
		case tok.read:
			return w.rd()
		}
		return w.wr()
	}
	n := len(f.tokens)
	byBoard := make([]bitset, noBoard+1)
	for b := range byBoard {
		byBoard[b] = newBitset(n)
	}
	for t := range f.tokens {
		b := board(t)
		if tok := &f.tokens[t]; b == noBoard && at(tok.at) != nil && tok.at != dead {
			return &Lost{At: tok.at, Read: tok.read, User: tok.at}
		}
		byBoard[b].set(t)
	}
	release := func(pending bitset, mask uint8, holders []bitset) {
		for sb := 0; mask != 0; sb, mask = sb+1, mask>>1 {
			if mask&1 != 0 {
				for k := range pending {
					pending[k] &^= holders[sb][k]
				}
			}
		}
	}
	entry := make([]bitset, len(f.blocks))
	for b := range entry {
		entry[b] = newBitset(n)
	}
	step := func(pending bitset, i int) {
		if at(i) != nil {
			release(pending, waits(i), byBoard)
			for _, t := range f.first[i] {
				if board(t) != noBoard {
					pending.set(t)
				}
			}
		}
	}
	work, seen := []int{0}, make([]bool, len(f.blocks))
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		seen[b] = true
		pending := entry[b].clone()
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			step(pending, i)
		}
		for _, s := range f.blocks[b].next {
			if entry[s].join(pending) || !seen[s] {
				work = append(work, s)
			}
		}
	}
	for b := range f.blocks {
		if !seen[b] {
			continue
		}
		was, is := f.entry[b].clone(), entry[b].clone()
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			f.release(was, in[i].wait())
			if at(i) != nil {
				release(is, waits(i), byBoard)
				for k := range is {
					for x := is[k] &^ was[k]; x != 0; x &= x - 1 {
						if t := k*64 + bits.TrailingZeros64(x); f.touches(t, i) {
							return &Lost{At: f.tokens[t].at, Read: f.tokens[t].read, User: i}
						}
					}
				}
			}
			for _, t := range f.first[i] {
				was.set(t)
				if board(t) != noBoard && at(i) != nil {
					is.set(t)
				}
			}
		}
	}
	return nil
}
