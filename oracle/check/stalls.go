package check

import "fmt"

// Stall counts.
//
// A result of fixed latency is there when enough cycles have passed; the stall
// counts of the words between see to it. Where the output stalls less than the
// input, no pair of words may have come nearer of which the second uses the result
// of the first, unless that is behind a scoreboard now.

// latest is a number of cycles after which every result of fixed latency is there.
const latest = 16

// stalls reports whether the stall counts are sound; it tells where not.
func (s *schedule) stalls() bool {
	ok := true
	for k := range s.words {
		if !s.known[k] || s.out[k].stall >= s.in[k].stall {
			continue
		}
		s.steps++
		in := uint64(0)
		for i := k; i >= 0 && in < latest; i-- {
			if i < k && s.leaves(i) {
				break
			}
			in += s.in[i].stall
			if s.known[i] && s.out[i].write == noBoard && !s.near(i, k) {
				ok = false
			}
		}
	}
	return ok
}

// leaves reports whether control may go elsewhere after a word.
func (s *schedule) leaves(i int) bool {
	next := s.next(i)
	return len(next) != 1 || next[0] != i+1
}

// near looks for words behind k that use the result of i earlier than in the input.
func (s *schedule) near(i, k int) bool {
	in, out := uint64(0), uint64(0)
	for j := i; j < len(s.words) && in < latest; j++ {
		if j > k {
			s.steps++
			if out < in {
				switch touches(&s.ops[i], &s.ops[j], true) {
				case unsound:
					s.c.verdict.add(s.finding(j, fmt.Sprintf("uses the result of the word at 0x%x after %d cycles, in the input after %d", i*instruction, out, in)))
					return false
				case unknown:
					s.c.unjudged(s.area, Finding{Kind: CodeSchedule, Section: s.area.name, Symbol: s.area.owner.owner.String(), Offset: uint64(j) * instruction,
						Detail: fmt.Sprintf("stalls less than the input, and whether opcode 0x%x uses the result of opcode 0x%x is not known", opcode(s.words[j]), opcode(s.words[i]))})
				}
			}
			if s.leaves(j) {
				break
			}
		}
		in, out = in+s.in[j].stall, out+s.out[j].stall
	}
	return true
}
