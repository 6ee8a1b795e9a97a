package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Is code that was rescheduled sound?
//
// An instruction of variable latency may count in one of six scoreboards: bits 110
// to 112 for its result, 113 to 115 for its operands. A later word waits by its
// mask until a scoreboard is empty; only then may the result be used or written
// over, and the operands be written over.
//
// The input's schedule is taken to be sound. So the output's is, if on every path
// each result is waited for no later than in the input; or, where the wait comes
// later (the input waited for another result of the same scoreboard), if no word
// between touches the registers. A word whose operands are not known leaves that
// open. The rest is in stalls.go.
//
//	105..108 stall   109 yield   110..112 write barrier   113..115 read barrier
//	116..121 wait mask           122..125 reuse

// schedule is one function in both schedules, by words of the output.
type schedule struct {
	c       *check
	area    *link.Area
	words   [][]byte       // of the output
	in, out []sass.Control // in is zero with no scoreboards for words that were put in
	known   []bool         // the word is the input's
	targets map[int][]int  // of indirect branches
	ops     []sass.Operands
	seen    []visited
	mark    uint32
	open    []pathEnd
	steps   uint64
	slower  bool // code for another target, where doubles and IMMA take longer
}

// flushes reports whether a word is a fence or a flush of tensor maps' commands, which has no operand, so that to
// wait for it as well is to wait longer: but where the scoreboard is counted.
func (s *schedule) flushes(i int) bool {
	board := s.out[i].Read
	return (sass.Opcode(s.words[i]) == sass.OpTmaFlush || sass.IsFence(s.words[i])) && s.out[i].Write == sass.NoBoard &&
		!slices.ContainsFunc(s.words, func(word []byte) bool { return sass.Opcode(word) == sass.OpDepbar && sass.BoardOf(word) == board })
}

// compareSchedule decides over code whose words are the input's but for their
// schedule, or for words that were put in or omitted.
func (c *check) compareSchedule(a *link.Area, changed int) error {
	s := c.newSchedule(a)
	if s.without() && !s.none(s.in) {
		s.tellWithout()
		return nil
	}
	for i := range s.words {
		if ok, err := s.soundWord(i); !ok || err != nil {
			return err
		}
	}
	if i := s.staleReuse(); i >= 0 {
		c.Verdict.Add(s.finding(i, "caches a register for the next instruction, but one of the two writes it"))
		return nil
	}
	if ok, err := s.stalls(); !ok || err != nil {
		return err
	}
	c.Verdict.Remark(verdict.Finding{Kind: verdict.CodeBytes, File: a.Parts0(), Section: a.Name, Symbol: a.Owner.Owner.String(),
		Detail: fmt.Sprintf("%d instructions rescheduled, soundly", changed)})
	return c.Budget.Spend("output", s.steps)
}

// tellWithout tells of code without any schedule, which may be right where the input's waits after each word.
func (s *schedule) tellWithout() {
	c, a := s.c, s.area
	f := verdict.Finding{Kind: verdict.CodeSchedule, File: a.Parts0(), Section: a.Name, Symbol: a.Owner.Owner.String(),
		Detail: "the code has no schedule at all: no stall, no scoreboard, no wait. nvlink 13.5 writes such code for inputs that an older ptxas compiled with -g, and for stubs of unified functions with -g; what the driver does about it is not known"}
	if c.Release >= 133 && (s.naive() || a.Owner.Mod.CompiledForDebugger() || c.Options.Debug && strings.HasPrefix(a.Name, image.UnifiedPrefix)) {
		c.Unjudged(a, f)
		return
	}
	f.Detail, _, _ = strings.Cut(f.Detail, ". nvlink")
	c.Verdict.Add(f)
}

// soundWord reports whether a word's scoreboards are such as there are, and whether what it leaves pending is waited for; it tells
// where not.
func (s *schedule) soundWord(i int) (ok bool, err error) {
	if at, detail := s.strangeBoards(i); detail != "" {
		s.c.Verdict.Add(s.finding(at, detail))
		return false, nil
	}
	ok = !s.known[i] || s.waitsFor(i)
	err = s.c.Budget.Spend("output", s.steps)
	s.steps = 0
	return ok, err
}

// strangeBoards says what is wrong with a word's scoreboards themselves, and where.
func (s *schedule) strangeBoards(i int) (at int, detail string) {
	o := s.out[i]
	switch {
	case o.Write == 6 || o.Read == 6:
		return i, "a scoreboard that doesn't exist"
	case !s.known[i] && (o.Write != sass.NoBoard || o.Read != sass.NoBoard) && !s.flushes(i):
		return i, "an inserted instruction sets a scoreboard"
	}
	if j := s.tooSoon(i); s.known[i] && j > 0 {
		return j, fmt.Sprintf("waits for the scoreboard of the instruction at 0x%x before that sets it", i*sass.Instruction)
	}
	return 0, ""
}

// waitsFor reports whether what a word leaves pending is waited for; it says where not.
func (s *schedule) waitsFor(i int) bool {
	c, a := s.c, s.area
	for _, t := range s.tokens(i) {
		switch at, result := s.follow(t); result {
		case sass.Unsound:
			if s.fencesWait(t, at) {
				c.Unjudged(a, s.finding(at, fmt.Sprintf("the guard of an inserted fence is still being written by the instruction at 0x%x: only the next fence waits for it", i*sass.Instruction)))
				continue
			}
			c.Verdict.Add(s.finding(at, fmt.Sprintf("uses what the instruction at 0x%x has not finished %s: no instruction on the path waits for it", i*sass.Instruction, t.what())))
			return false
		case sass.Unknown:
			c.Unjudged(a, verdict.Finding{Kind: verdict.CodeBytes, Section: a.Name, Symbol: a.Owner.Owner.String(), Offset: uint64(at) * sass.Instruction,
				Detail: fmt.Sprintf("rescheduled, and whether opcode 0x%x touches what opcode 0x%x has not finished is not known", sass.Opcode(s.words[at]), sass.Opcode(s.words[i]))})
		}
	}
	return true
}

func (c *check) newSchedule(a *link.Area) *schedule {
	n := len(a.Out.Body) / sass.Instruction
	s := &schedule{c: c, area: a, words: make([][]byte, n), in: make([]sass.Control, n), out: make([]sass.Control, n), known: make([]bool, n), ops: make([]sass.Operands, n), seen: make([]visited, 2*n), slower: c.SM == 103 && a.Owner.Mod.SM() == 100}
	for j := range n {
		s.words[j], _ = image.Cut(a.Out.Body, uint64(j)*sass.Instruction, sass.Instruction)
		s.out[j] = sass.ControlOf(s.words[j])
		s.in[j] = sass.Control{Write: sass.NoBoard, Read: sass.NoBoard}
		s.ops[j] = sass.OperandsOf(s.words[j])
		if i := a.Words.From[j]; i >= 0 {
			word, _ := image.Cut(a.Owner.Section.Body, uint64(i)*sass.Instruction, sass.Instruction)
			s.in[j], s.known[j] = sass.ControlOf(word), true
		}
	}
	s.targets = s.branchTargets()
	// What a dropped word waited for counts for the next.
	left := uint64(0)
	for i, j := range a.Words.To {
		if j < 0 {
			word, _ := image.Cut(a.Owner.Section.Body, uint64(i)*sass.Instruction, sass.Instruction)
			left |= sass.ControlOf(word).Wait
		} else {
			s.in[j].Wait |= left
			left = 0
		}
	}
	return s
}

// tooSoon finds a word after i that waits for its scoreboard less than two cycles later:
// it sees the scoreboard as it was. 0: none.
//
// Source: 30,000 such pairs in code of ptxas 13.0.88, 13.2.86 and 13.5.37, two cycles at least.
func (s *schedule) tooSoon(i int) int {
	boards := boardBit(s.out[i].Write) | boardBit(s.out[i].Read)
	in, out := s.in[i].Stall, s.out[i].Stall
	for j := i + 1; boards != 0 && j < len(s.words) && out < 2; j++ {
		if s.out[j].Wait&boards != 0 && out < in {
			return j
		}
		if s.leaves(j) {
			break
		}
		in, out = in+s.in[j].Stall, out+s.out[j].Stall
	}
	return 0
}

// naive reports whether an input's code was never scheduled either, but waits
// everywhere, as code that was compiled with -g or without optimization does.
func (s *schedule) naive() bool {
	n, all := 0, 0
	for i, x := range s.in {
		if !s.known[i] || sass.Never(s.words[i]) || sass.Opcode(s.words[i]) == sass.OpNop {
			continue
		}
		if all++; x.Stall == 15 {
			n++
		}
	}
	return 2*n >= all
}

// without reports whether no word of the input's that is ever executed has a schedule
// in the output.
func (s *schedule) without() bool { return s.none(s.out) }

// none reports whether no word of the input's that is ever executed has a schedule. The
// others have one even in code that ptxas leaves without: 13.5 with -O0 for sm_103.
func (s *schedule) none(list []sass.Control) bool {
	for i, x := range list {
		if s.known[i] && !sass.Never(s.words[i]) && x != (sass.Control{Write: sass.NoBoard, Read: sass.NoBoard}) {
			return false
		}
	}
	return true
}

func (s *schedule) finding(i int, detail string) verdict.Finding {
	return verdict.Finding{Kind: verdict.CodeSchedule, File: s.area.Parts0(), Section: s.area.Name, Symbol: s.area.Owner.Owner.String(), Offset: uint64(i) * sass.Instruction, Detail: detail}
}

// token is a result or a set of operands that is pending after a scoreboard.
type token struct {
	word    int
	result  bool
	in, out uint64 // scoreboards; noBoard: none
}

func (t token) what() string {
	if t.result {
		return "writing"
	}
	return "reading"
}

// tokens lists what a word leaves pending.
func (s *schedule) tokens(i int) []token {
	var list []token
	if in, out := s.in[i].Write, s.out[i].Write; in != sass.NoBoard || out != sass.NoBoard || s.slow(i) {
		list = append(list, token{word: i, result: true, in: in, out: out})
	}
	if in, out := s.in[i].Read, s.out[i].Read; in != sass.NoBoard || out != sass.NoBoard {
		list = append(list, token{word: i, in: in, out: out})
	}
	return list
}

// follow goes along every path from a token's word until the output waits for it.
// From where the input has waited on, no word may touch its registers.
func (s *schedule) follow(t token) (at int, result sass.Soundness) {
	if t.in == sass.NoBoard {
		// The input relied on the stall counts, and so may the output where
		// they are no less; else it must wait.
		if t.result && s.out[t.word].Stall >= s.in[t.word].Stall && !s.slow(t.word) {
			return 0, sass.Sound
		}
	}
	done := s.doneAt(t)
	s.mark++
	s.open = s.open[:0]
	mine := s.ops[t.word]
	boards := boardBit(t.out) | boardBit(s.out[t.word].Write) // whose result is there has read its operands
	for _, next := range s.next(t.word) {
		s.visit(pathEnd{next, t.in == sass.NoBoard, boards})
	}
	for len(s.open) > 0 {
		x := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.steps++
		if s.out[x.word].Wait&x.boards != 0 || x.word == done {
			continue
		}
		waited := x.waited || s.in[x.word].Wait>>t.in&1 != 0
		if waited {
			if t.result && sass.OrdersMemory(s.words[t.word]) && sass.AccessesMemory(s.words[x.word]) {
				return x.word, sass.Unsound
			}
			ops := s.ops[x.word]
			switch sass.Touches(&mine, &ops, t.result) {
			case sass.Unsound:
				return x.word, sass.Unsound
			case sass.Unknown:
				at, result = x.word, sass.Unknown
				continue
			}
		}
		switch s.leaving(x.word) {
		case sass.Unsound:
			if waited && (t.result || !mine.Spent()) {
				return x.word, sass.Unsound // who is called, or called, uses it, or writes over it
			}
		case sass.Unknown:
			at, result = x.word, sass.Unknown
		}
		if !t.result && storesInOrder(s.words[t.word]) && sass.IsBarrier(s.words[x.word]) {
			continue
		}
		boards := x.boards | s.tells(t.word, x.word, t.result)
		for _, next := range s.next(x.word) {
			s.visit(pathEnd{next, waited, boards})
		}
	}
	return at, result
}

// pathEnd is where a path of follow has come to.
type pathEnd struct {
	word   int
	waited bool   // the input has waited for the token
	boards uint64 // scoreboards of which each says that the token is done
}

// visited are the states in which follow has come to a word, a bit for each set of
// scoreboards.
type visited struct {
	mark uint32 // of the token
	sets uint64
}

// visit goes on to a word, once for each state.
func (s *schedule) visit(x pathEnd) {
	k := 2 * x.word
	if x.waited {
		k++
	}
	if x.word >= len(s.words) {
		return
	}
	if s.seen[k].mark != s.mark {
		s.seen[k] = visited{mark: s.mark}
	}
	if set := uint64(1) << x.boards; s.seen[k].sets&set == 0 {
		s.seen[k].sets |= set
		s.open = append(s.open, x)
	}
}

// boardBit is the bit of a scoreboard; 0: none.
func boardBit(board uint64) uint64 {
	if board < 6 {
		return 1 << board
	}
	return 0
}
