package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Is code that was scheduled anew sound?
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

const noBoard = 7

// always is the guard of a word that is executed by all.
const always = 7

// control is the scheduling field of a word.
type control struct {
	stall, write, read, wait uint64
}

func controlOf(word []byte) control {
	high := number(word, 8, 8) >> (controlFirst - 64)
	return control{stall: high % 16, write: high >> 5 % 8, read: high >> 8 % 8, wait: high >> 11 % 64}
}

// schedule is one function in both schedules, by words of the output.
type schedule struct {
	c       *check
	area    *area
	words   [][]byte      // of the output
	in, out []control     // in is zero with no scoreboards for words that were put in
	known   []bool        // the word is the input's
	targets map[int][]int // of indirect branches
	ops     []operands
	seen    []visited
	mark    uint32
	open    []pathEnd
	steps   uint64
	slower  bool // code for another target, where doubles and IMMA take longer
}

// flushes reports whether a word is a flush of tensor maps' commands, which has no operand, so that to wait for
// it as well is to wait longer: but where the scoreboard is counted.
func (s *schedule) flushes(i int) bool {
	board := s.out[i].read
	return opcode(s.words[i]) == opTmaFlush && s.out[i].write == noBoard &&
		!slices.ContainsFunc(s.words, func(word []byte) bool { return opcode(word) == opDepbar && boardOf(word) == board })
}

// compareSchedule decides over code whose words are the input's but for their
// schedule, or for words that were put in or left out.
func (c *check) compareSchedule(a *area, changed int) error {
	s := c.newSchedule(a)
	if s.without() && !none(s.in) {
		f := Finding{Kind: CodeSchedule, File: a.parts0(), Section: a.name, Symbol: a.owner.owner.String(),
			Detail: "the code has no schedule at all: no stall, no scoreboard, no wait. nvlink 13.5 writes it so where the input was compiled with -g by an older ptxas, and stubs of unified functions with -g, and what the driver does about it is not known"}
		if c.release >= 133 && (s.naive() || a.owner.mod.compiledForDebugger() || c.options.Debug && strings.HasPrefix(a.name, unifiedPrefix)) {
			c.unjudged(a, f)
		} else {
			f.Detail, _, _ = strings.Cut(f.Detail, ". nvlink")
			c.verdict.add(f)
		}
		return nil
	}
	for i := range s.words {
		o := s.out[i]
		if o.write == 6 || o.read == 6 {
			c.verdict.add(s.finding(i, "a scoreboard that doesn't exist"))
			return nil
		}
		if !s.known[i] {
			if (o.write != noBoard || o.read != noBoard) && !s.flushes(i) {
				c.verdict.add(s.finding(i, "a word that was put in takes a scoreboard"))
				return nil
			}
			continue
		}
		if j := s.tooSoon(i); j > 0 {
			c.verdict.add(s.finding(j, fmt.Sprintf("waits for the scoreboard of the word at 0x%x before that one has taken it", i*instruction)))
			return nil
		}
		for _, t := range s.tokens(i) {
			at, result := s.follow(t)
			switch result {
			case unsound:
				if s.fencesWait(t, at) {
					c.unjudged(a, s.finding(at, fmt.Sprintf("a fence that was put in has a guard which the word at 0x%x has not finished writing: the next one waits for it", i*instruction)))
					continue
				}
				f := s.finding(at, fmt.Sprintf("uses what the word at 0x%x has not finished %s: no word on the way waits for it", i*instruction, t.what()))
				c.verdict.add(f)
				return c.budget.spend("output", s.steps)
			case unknown:
				c.unjudged(a, Finding{Kind: CodeBytes, Section: a.name, Symbol: a.owner.owner.String(), Offset: uint64(at) * instruction,
					Detail: fmt.Sprintf("scheduled otherwise than in the input, and whether opcode 0x%x touches what opcode 0x%x has not finished is not known", opcode(s.words[at]), opcode(s.words[i]))})
			}
		}
		if err := c.budget.spend("output", s.steps); err != nil {
			return err
		}
		s.steps = 0
	}
	if ok, err := s.stalls(); !ok || err != nil {
		return err
	}
	c.verdict.remark(Finding{Kind: CodeBytes, File: a.parts0(), Section: a.name, Symbol: a.owner.owner.String(),
		Detail: fmt.Sprintf("%d words scheduled otherwise than in the input, soundly", changed)})
	return c.budget.spend("output", s.steps)
}

func (c *check) newSchedule(a *area) *schedule {
	n := len(a.out.body) / instruction
	s := &schedule{c: c, area: a, words: make([][]byte, n), in: make([]control, n), out: make([]control, n), known: make([]bool, n), ops: make([]operands, n), seen: make([]visited, 2*n), slower: c.sm == 103 && a.owner.mod.sm() == 100}
	for j := range n {
		s.words[j], _ = cut(a.out.body, uint64(j)*instruction, instruction)
		s.out[j] = controlOf(s.words[j])
		s.in[j] = control{write: noBoard, read: noBoard}
		s.ops[j] = operandsOf(s.words[j])
		if i := a.words.from[j]; i >= 0 {
			word, _ := cut(a.owner.section.body, uint64(i)*instruction, instruction)
			s.in[j], s.known[j] = controlOf(word), true
		}
	}
	s.targets = s.branchTargets()
	// What a dropped word waited for counts for the next.
	left := uint64(0)
	for i, j := range a.words.to {
		if j < 0 {
			word, _ := cut(a.owner.section.body, uint64(i)*instruction, instruction)
			left |= controlOf(word).wait
		} else {
			s.in[j].wait |= left
			left = 0
		}
	}
	return s
}

// tooSoon finds a word behind i that waits for its scoreboard less than two cycles later:
// it sees the scoreboard as it was. 0: none.
//
// Source: 30,000 such pairs in code of ptxas 13.0.88, 13.2.86 and 13.5.37, two cycles at least.
func (s *schedule) tooSoon(i int) int {
	boards := boardBit(s.out[i].write) | boardBit(s.out[i].read)
	in, out := s.in[i].stall, s.out[i].stall
	for j := i + 1; boards != 0 && j < len(s.words) && out < 2; j++ {
		if s.out[j].wait&boards != 0 && out < in {
			return j
		}
		if s.leaves(j) {
			break
		}
		in, out = in+s.in[j].stall, out+s.out[j].stall
	}
	return 0
}

// naive reports whether an input's code was never scheduled either, but waits
// everywhere, as code that was compiled with -g or without optimization does.
func (s *schedule) naive() bool {
	n, all := 0, 0
	for i, x := range s.in {
		if !s.known[i] || never(s.words[i]) || opcode(s.words[i]) == opNop {
			continue
		}
		if all++; x.stall == 15 {
			n++
		}
	}
	return 2*n >= all
}

// compiledForDebugger reports whether a module has the tables that ptxas -g writes.
func (m *module) compiledForDebugger() bool {
	return slices.ContainsFunc(m.sections, func(s section) bool { return s.name == ".nv_debug_info_reg_sass" })
}

// without reports whether no word of the input's that is ever executed has a schedule
// in the output.
func (s *schedule) without() bool {
	for i, x := range s.out {
		if s.known[i] && !never(s.words[i]) && x != (control{write: noBoard, read: noBoard}) {
			return false
		}
	}
	return true
}

// none reports whether no word has a schedule.
func none(list []control) bool {
	for _, x := range list {
		if x != (control{write: noBoard, read: noBoard}) {
			return false
		}
	}
	return true
}

func (s *schedule) finding(i int, detail string) Finding {
	return Finding{Kind: CodeSchedule, File: s.area.parts0(), Section: s.area.name, Symbol: s.area.owner.owner.String(), Offset: uint64(i) * instruction, Detail: detail}
}

// token is a result or a set of operands that is pending behind a scoreboard.
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
	if in, out := s.in[i].write, s.out[i].write; in != noBoard || out != noBoard || s.slow(i) {
		list = append(list, token{word: i, result: true, in: in, out: out})
	}
	if in, out := s.in[i].read, s.out[i].read; in != noBoard || out != noBoard {
		list = append(list, token{word: i, in: in, out: out})
	}
	return list
}

type soundness uint8

const (
	sound soundness = iota
	unsound
	unknown
)

// follow goes along every path from a token's word until the output waits for it.
// From where the input has waited on, no word may touch its registers.
func (s *schedule) follow(t token) (at int, result soundness) {
	if t.in == noBoard {
		// The input relied on the stall counts, and so may the output where
		// they are no less; else it must wait.
		if t.result && s.out[t.word].stall >= s.in[t.word].stall && !s.slow(t.word) {
			return 0, sound
		}
	}
	done := s.doneAt(t)
	s.mark++
	s.open = s.open[:0]
	mine := s.ops[t.word]
	boards := boardBit(t.out)
	if !t.result {
		boards |= boardBit(s.out[t.word].write) // whose result is there has read its operands
	}
	for _, next := range s.next(t.word) {
		s.visit(pathEnd{next, t.in == noBoard, boards})
	}
	for len(s.open) > 0 {
		x := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.steps++
		if s.out[x.word].wait&x.boards != 0 || x.word == done {
			continue
		}
		waited := x.waited || t.in != noBoard && s.in[x.word].wait>>t.in&1 != 0
		if waited {
			if t.result && ordersMemory(s.words[t.word]) && accessesMemory(s.words[x.word]) {
				return x.word, unsound
			}
			ops := s.ops[x.word]
			switch touches(&mine, &ops, t.result) {
			case unsound:
				return x.word, unsound
			case unknown:
				at, result = x.word, unknown
				continue
			}
		}
		switch s.leaving(x.word) {
		case unsound:
			if waited && (t.result || !mine.spent()) {
				return x.word, unsound // who is called, or called, uses it, or writes over it
			}
		case unknown:
			at, result = x.word, unknown
		}
		if !t.result && storesInOrder(s.words[t.word]) && isBarrier(s.words[x.word]) {
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
	boards uint64 // scoreboards of which each tells that the token is done
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

// leaving is unsound for a word after which code of others runs that relies on the
// input's waits, and unknown where nobody knows what follows.
//
// Source: 6,046 calls and 4,110 returns in code of ptxas and nvlink 13.0 to 13.5 for sm_100 to sm_121:
// at none is a result or an operand pending.
func (s *schedule) leaving(i int) soundness {
	switch word := s.words[i]; opcode(word) {
	case opRet, opCall, opCallRel, opCallTo, opCallRelTo:
		return unsound
	case opBrx, opBrxU:
		if len(s.targets[i]) == 0 {
			return unknown
		}
	case opBra:
		if to := (int64(i+1)*instruction + distance(word)) / instruction; to < 0 || to >= int64(len(s.words)) {
			return unsound
		}
	}
	return sound
}

// branchTargets lists where the indirect branches go, as the input's attribute says:
// groups of the branch, a number, how many, and the targets.
func (s *schedule) branchTargets() map[int][]int {
	targets := map[int][]int{}
	value, _ := s.area.owner.attribute(cuda.AttrIndirectBranchTargets)
	place := func(at uint64) (first, last uint64) {
		first, last, ok := s.area.words.leadsTo(uint64(word(value, at)) / instruction)
		if !ok {
			return uint64(len(s.words)), uint64(len(s.words))
		}
		return first, last
	}
	for at := uint64(0); at+12 <= uint64(len(value)); {
		_, branch := place(at)
		n := word(value, at+8)
		at += 12
		for ; n > 0 && at+4 <= uint64(len(value)); n-- {
			to, _ := place(at)
			targets[int(branch)] = append(targets[int(branch)], int(to))
			at += 4
		}
	}
	return targets
}

// next lists the words that may follow one.
func (s *schedule) next(i int) []int {
	word := s.words[i]
	always := word[1]>>4 == 7
	switch opcode(word) {
	case opExit, opRet:
		if always {
			return nil
		}
	case opBra, opBraU:
		to := (int64(i+1)*instruction + distance(word)) / instruction
		var list []int
		if to >= 0 && to < int64(len(s.words)) {
			list = append(list, int(to))
		}
		divergent := number(word, 3, 1) != 0 || number(word, 8, 8)>>18%(1<<23) != 0xe0
		if !always || divergent || opcode(word) == opBraU {
			list = append(list, i+1)
		}
		return list
	case opBrx, opBrxU:
		if always {
			return s.targets[i]
		}
		return append(slices.Clone(s.targets[i]), i+1)
	}
	return []int{i + 1}
}
