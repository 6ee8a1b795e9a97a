package schedule

import (
	"fmt"

	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Where a result of fixed latency is used, along every path of control: a branch takes a few
// cycles, and what is where it goes may use the result as well.
//
// Source: 6,507 pairs of words with a branch between in 587,024 words of ptxas and nvlink 13.0 to
// 13.5 for sm_100 to sm_121: none is nearer than pairs without a branch.

// mostWays is how many words are looked at after one result. A real block has a few.
const mostWays = 1024

// way is a path from the word that makes a result.
type way struct {
	word    int
	in, out uint64 // cycles since the first word
	wait    bool   // a scoreboard was waited for
	left    bool   // control went elsewhere
	mine    sass.Operands
}

// inTime reports whether every word that uses the result of i does so late enough, if it
// does so earlier than in the input. It says where not.
func (s *schedule) inTime(i int) bool {
	ok := true
	ways := s.onward(nil, &way{word: i, mine: s.ops[i]})
	for n := 0; len(ways) > 0; n++ {
		if n == mostWays {
			s.c.Unjudged(s.area, s.finding(i, "stalls less than the input, and there are too many paths from here"))
			return ok
		}
		x := ways[len(ways)-1]
		ways = ways[:len(ways)-1]
		s.steps += 4
		x.wait = x.wait || s.out[x.word].Wait != 0
		switch s.inTimeAt(i, &x) {
		case sass.Unsound:
			ok = false
			continue
		case sass.Unknown:
			s.c.Unjudged(s.area, verdict.Finding{Kind: verdict.CodeSchedule, Section: s.area.Name, Symbol: s.area.Owner.Owner.String(), Offset: uint64(x.word) * sass.Instruction,
				Detail: fmt.Sprintf("stalls less than the input, and whether opcode 0x%x uses the result of opcode 0x%x is not known", sass.Opcode(s.words[x.word]), sass.Opcode(s.words[i]))})
		}
		if calls(s.words[x.word]) {
			continue
		}
		if s.ops[x.word].Always {
			x.mine.Writes.Lose(&s.ops[x.word].Writes) // who reads that now uses another's result
		}
		ways = s.onward(ways, &x)
	}
	return ok
}

// inTimeAt judges where a way has come to.
func (s *schedule) inTimeAt(i int, x *way) sass.Soundness {
	if sass.Opcode(s.words[x.word]) == sass.OpRet && x.mine.Known && x.mine.Writes != (sass.RegSet{}) {
		if in, out := x.in+s.in[x.word].Stall, x.out+s.out[x.word].Stall; out < min(in, beforeCall) {
			s.c.Verdict.Add(s.finding(x.word, fmt.Sprintf("returns %d cycles after the instruction at 0x%x, in the input %d: the caller may use its result at once", out, i*sass.Instruction, in)))
			return sass.Unsound
		}
	}
	if x.out >= x.in {
		return sass.Sound
	}
	result := s.soonAfter(i, x.word, &x.mine, x.out, x.wait, x.left)
	if result == sass.Unsound {
		s.c.Verdict.Add(s.finding(x.word, fmt.Sprintf("uses the result of the instruction at 0x%x after %d cycles, in the input after %d", i*sass.Instruction, x.out, x.in)))
	}
	return result
}

// onward adds where a way leads to. An operand that isn't known is followed to the end of its block.
func (s *schedule) onward(ways []way, x *way) []way {
	in, out := x.in+s.in[x.word].Stall, x.out+s.out[x.word].Stall
	leaves := s.leaves(x.word)
	if out >= latest || x.mine.Known && x.mine.Writes == (sass.RegSet{}) || leaves && !x.mine.Known {
		return ways
	}
	for _, next := range s.next(x.word) {
		if next < len(s.words) {
			ways = append(ways, way{word: next, in: in, out: out, wait: x.wait, left: x.left || leaves, mine: x.mine})
		}
	}
	return ways
}
