package resched

import "slices"

// The input was scheduled by the same rules, with the stack pointer's scoreboard
// taken. So its own choices show where the rules here fall short: what they don't
// give there is taken from the input.

// choice is how a scoreboard of the input was chosen.
type choice struct {
	foreseen bool  // the rules here give the same
	crowded  bool  // none was free
	sharers  []int // tokens that held it already, two at most
	free     uint8 // scoreboards that nobody held
}

// foresee makes the choices of the input again, each after the real ones before.
// Tokens hold the input's scoreboards; out is what is pending at the entries.
func (a *allocator) foresee() {
	a.stage = asking
	defer func() { a.stage = 0 }()
	a.choices = make([]choice, len(a.tokens))
	a.was = newBitset(len(a.tokens))
	for b := range a.blocks {
		if !a.seen[b] {
			continue
		}
		a.eachChoice(b, func(t, chosen int, held *holders) int {
			board := a.tokens[t].board
			c := choice{foreseen: chosen == board, crowded: a.doubts != 0, sharers: slices.Clone(held[board][:min(2, len(held[board]))])}
			for sb := range held {
				if len(held[sb]) == 0 {
					c.free |= 1 << sb
				}
			}
			a.choices[t], a.doubts = c, 0
			return board
		})
	}
	clear(a.clocks)
}

// likeInput returns the scoreboard that now is what the one of the input was for
// t: shared with the same tokens, or the same one of the free.
func (a *allocator) likeInput(t, chosen int, held *holders) int {
	c := &a.choices[t]
	for _, o := range c.sharers {
		if other := &a.tokens[o]; !other.dead && slices.Contains(held[other.now], o) {
			return other.now
		}
	}
	if len(c.sharers) > 0 {
		return chosen
	}
	before := 0
	for sb := range a.tokens[t].board {
		if c.free>>sb&1 != 0 {
			before++
		}
	}
	for sb := range held {
		if len(held[sb]) > 0 {
			continue
		}
		if before == 0 {
			return sb
		}
		before--
	}
	return chosen
}
