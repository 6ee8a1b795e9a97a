package check

import "fmt"

// Where a result of fixed latency is used, along every path of control: a branch takes a few
// cycles, and what stands where it goes may use the result as well.
//
// Source: 6,507 pairs of words with a branch between in 587,024 words of ptxas and nvlink 13.0 to
// 13.5 for sm_100 to sm_121: none is nearer than pairs without a branch.

// mostWays is how many words are looked at behind one result. A real block has a few.
const mostWays = 1024

// way is a path from the word that makes a result.
type way struct {
	word    int
	in, out uint64 // cycles since the first word
	wait    bool   // a scoreboard was waited for
	left    bool   // control went elsewhere
	mine    operands
}

// inTime reports whether every word that uses the result of i does so late enough, if it
// does so earlier than in the input. It tells where not.
func (s *schedule) inTime(i int) bool {
	if calls(s.words[i]) {
		return true
	}
	ok := true
	ways := s.onward(nil, &way{word: i, mine: s.ops[i]})
	for n := 0; len(ways) > 0; n++ {
		if n == mostWays {
			s.c.unjudged(s.area, s.finding(i, "stalls less than the input, and there are too many paths from here"))
			return ok
		}
		x := ways[len(ways)-1]
		ways = ways[:len(ways)-1]
		s.steps += 4
		x.wait = x.wait || s.out[x.word].wait != 0
		if x.out < x.in || s.out[x.word].stall < s.in[x.word].stall {
			switch s.inTimeAt(i, &x) {
			case unsound:
				ok = false
				continue
			case unknown:
				s.c.unjudged(s.area, Finding{Kind: CodeSchedule, Section: s.area.name, Symbol: s.area.owner.owner.String(), Offset: uint64(x.word) * instruction,
					Detail: fmt.Sprintf("stalls less than the input, and whether opcode 0x%x uses the result of opcode 0x%x is not known", opcode(s.words[x.word]), opcode(s.words[i]))})
			}
		}
		if calls(s.words[x.word]) {
			continue
		}
		if s.ops[x.word].known && s.ops[x.word].always {
			x.mine.writes.lose(&s.ops[x.word].writes) // who reads that now uses another's result
		}
		ways = s.onward(ways, &x)
	}
	return ok
}

// inTimeAt judges where a way has come to.
func (s *schedule) inTimeAt(i int, x *way) soundness {
	if opcode(s.words[x.word]) == opRet && x.mine.known && x.mine.writes != (regSet{}) {
		if in, out := x.in+s.in[x.word].stall, x.out+s.out[x.word].stall; out < min(in, beforeCall) {
			s.c.verdict.add(s.finding(x.word, fmt.Sprintf("returns %d cycles after the word at 0x%x, in the input %d: who called may use its result at once", out, i*instruction, in)))
			return unsound
		}
	}
	if x.out >= x.in {
		return sound
	}
	result := s.soonAfter(i, x.word, &x.mine, x.out, x.wait, x.left)
	if result == unsound {
		s.c.verdict.add(s.finding(x.word, fmt.Sprintf("uses the result of the word at 0x%x after %d cycles, in the input after %d", i*instruction, x.out, x.in)))
	}
	return result
}

// onward adds where a way leads to. An operand that isn't known is followed to the end of its block.
func (s *schedule) onward(ways []way, x *way) []way {
	in, out := x.in+s.in[x.word].stall, x.out+s.out[x.word].stall
	leaves := s.leaves(x.word)
	if out >= latest || x.mine.known && x.mine.writes == (regSet{}) || leaves && !x.mine.known {
		return ways
	}
	for _, next := range s.next(x.word) {
		if next < len(s.words) {
			ways = append(ways, way{word: next, in: in, out: out, wait: x.wait, left: x.left || leaves, mine: x.mine})
		}
	}
	return ways
}
