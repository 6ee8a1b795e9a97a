package schedule

import (
	"bufio"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// Stall counts.
//
// A result of fixed latency is there when enough cycles have passed; the stall
// counts of the words between see to it. Where the output stalls less than the
// input, no pair of words may have come nearer than the compiler puts such words, of
// which the second uses the result of the first, unless that is after a scoreboard
// now.

// latest is a number of cycles after which every result of fixed latency is there.
const latest = 16

// enough is how many cycles a pair that the table lacks has at least, beside the most
// that the table has for the first word.
const enough = 6

// stalls reports whether the stall counts are sound; it says where not.
func (s *schedule) stalls() (bool, error) {
	ok, shorter, bare := true, false, s.without()
	for k := range s.words {
		less := s.known[k] && s.out[k].Stall < s.in[k].Stall
		shorter = shorter || less
		if op := sass.Opcode(s.words[k]); (less || !s.known[k] && !bare) && s.out[k].Stall < leastStall[op] {
			s.c.Verdict.Add(s.finding(k, fmt.Sprintf("stalls for %d cycles; such instructions always stall for at least %d", s.out[k].Stall, leastStall[op])))
			ok = false
		}
	}
	for i := 0; shorter && i < len(s.words); i++ {
		if s.known[i] && !sass.Never(s.words[i]) && s.out[i].Write == sass.NoBoard && !s.covered(i) && !s.inTime(i) {
			ok = false
		}
		if err := s.c.Budget.Spend("output", s.steps); err != nil {
			return false, err
		}
		s.steps = 0
	}
	return ok, nil
}

// leastStall is for how many cycles words stall at least that control leaves by, or that keep what
// follows back.
//
// Source: 200 to 21,764 words of each in 6,443 functions of ptxas 13.0 to 13.5 and nvlink 13.0 to
// 13.5 for sm_100 to sm_121, among them cuDSS's; none stalls for less.
var leastStall = map[uint64]uint64{
	sass.OpCallTo: 5, 0x348: 5, 0x355: 5, 0x356: 5, 0x389: 2, sass.OpBraU: 5, sass.OpCgaErrbar: 6, sass.OpDepbar: 4, 0x91b: 5, sass.OpBsync: 5, 0x942: 5, sass.OpCall: 5, sass.OpCallRel: 5,
	0x946: 5, sass.OpBra: 5, sass.OpBraDiv: 5, sass.OpBrx: 5, sass.OpExit: 5, sass.OpRet: 5, 0x95c: 5,
}

// leaves reports whether control may go elsewhere after a word. It takes longer than
// any latency until it comes back from a call.
func (s *schedule) leaves(i int) bool {
	next := s.next(i)
	return len(next) != 1 || next[0] != i+1 || calls(s.words[i])
}

// calls reports whether a word is a CALL.
func calls(word []byte) bool {
	return sass.Opcode(word)%0x100 == 0x43 || sass.Opcode(word)%0x100 == 0x44
}

// beforeCall is how many cycles there are at least between a word whose result has a fixed
// latency and a CALL, or until a RET is done: whoever is called, or called, may use it at once.
//
// Source: 2,500 calls in code of ptxas 13.0.88, 13.2 and 13.5 for sm_100 to sm_120, which
// put 7 between the return address and the call, and never less for anything else. 4,110 returns of
// ptxas and nvlink 13.0 to 13.5: 7 until they are done in 2,539, and never less.
const beforeCall = 7

// soon reports whether a word that uses another's result may follow it after so many
// cycles.
func (s *schedule) soon(i, j int, cycles uint64, wait bool) sass.Soundness {
	return s.soonAfter(i, j, &s.ops[i], cycles, wait, false)
}

// soonAfter is soon for what is left of the operands of the first word; left: control went elsewhere
// between the two.
func (s *schedule) soonAfter(i, j int, mine *sass.Operands, cycles uint64, wait, left bool) sass.Soundness {
	if calls(s.words[j]) && mine.Known {
		if cycles < beforeCall && mine.Writes != (sass.RegSet{}) {
			return sass.Unsound
		}
		return sass.Sound
	}
	result := sass.Touches(mine, &s.ops[j], true)
	if result == sass.Unsound && !left && s.exclusive(i, j) {
		return sass.Sound
	}
	if result != sass.Unsound {
		return result
	}
	from, to := family(s.words[i]), family(s.words[j])
	if sass.IsFence(s.words[j]) {
		to = sass.OpExit // of which the guard is all that it reads, too
	}
	if !mine.Writes.Meets(&s.ops[j].Reads) {
		return overSoon(from, to, cycles)
	}
	return useSoon(from, to, cycles, wait)
}

// overSoon judges a word that writes over a result which nothing uses any more.
func overSoon(from, to, cycles uint64) sass.Soundness {
	table := distances()
	over := table[pairOfWords{from: from, to: to, over: true}]
	// Where the result would be there for the first who could use it, the two can't
	// come in the wrong order.
	first := table[pairOfWords{from: from, any: true}]
	switch {
	case over.seen && cycles >= over.least, first.seen && cycles >= first.least:
		return sass.Sound
	case over.often:
		return sass.Unsound
	}
	return sass.Unknown
}

// useSoon judges a word that uses a result. It is wrong where it comes nearer than a pair
// that was often seen, or than any word uses what the first makes; nearer than a pair
// that was seldom seen it may be right.
func useSoon(from, to, cycles uint64, wait bool) sass.Soundness {
	table := distances()
	d := table[pairOfWords{from: from, to: to}]
	if behind := table[pairOfWords{from: from, to: to, wait: true}]; wait && behind.seen {
		// A wait makes the way longer: what is far enough without one is far enough.
		if d.seen {
			behind.least = min(behind.least, d.least)
		}
		d = behind
	}
	if !d.seen {
		// Of what the table has, whoever uses such a result waits so long at most.
		most := table[pairOfWords{from: from, all: true}].least
		if most > 0 && cycles >= max(most, enough) {
			return sass.Sound
		}
		return sass.Unknown
	}
	first := table[pairOfWords{from: from, first: true}]
	switch {
	case cycles >= d.least:
		return sass.Sound
	case d.often, first.often && cycles < first.least:
		return sass.Unsound
	}
	return sass.Unknown
}

// exclusive reports whether two words have opposite guards, and nothing from the one to
// the other writes the predicate: never are both executed.
func (s *schedule) exclusive(i, j int) bool {
	guard := s.words[i][1] >> 4
	if guard%8 == 7 || guard^8 != s.words[j][1]>>4 {
		return false
	}
	op := sass.Opcode(s.words[i])
	base := sass.GuardBase(op, image.Number(s.words[i], 8, 8))
	if base != sass.GuardBase(sass.Opcode(s.words[j]), image.Number(s.words[j], 8, 8)) {
		return false
	}
	var predicate sass.RegSet
	predicate.Add(base+uint64(guard%8), 1)
	for ; i < j; i++ {
		if !s.ops[i].Known || s.ops[i].Writes.Meets(&predicate) {
			return false
		}
	}
	return true
}

// coverReach is how far after a word another may cover it.
const coverReach = 12

// covered reports whether a later word of its unit, with nothing between that leaves, has a
// scoreboard that says that a word's result is there.
func (s *schedule) covered(i int) bool {
	if s.out[i].Write != sass.NoBoard {
		return false
	}
	for j := i + 1; j < min(i+coverReach, len(s.words)) && !s.leaves(j-1); j++ {
		if s.tells(i, j, true) != 0 {
			return true
		}
	}
	return false
}

//go:embed distances.txt
var distancesText string

// pairOfWords is a word that makes a result and one that uses it.
type pairOfWords struct {
	from, to uint64
	wait     bool // a scoreboard is waited for between
	over     bool // the second does not use it, but writes over it
	any      bool // the least of all that use it, no scoreboard waited for
	all      bool // the most of them, where there are several
	first    bool // the least of all that use it
}

// cyclesBetween are how many there are between the words of a pair.
type cyclesBetween struct {
	least uint64
	seen  bool
	often bool // a hundred times at least: nearer is too near
}

// distances are the least cycles between words.
var distances = sync.OnceValue(func() map[pairOfWords]cyclesBetween {
	table := map[pairOfWords]cyclesBetween{}
	for lines := bufio.NewScanner(strings.NewReader(distancesText)); lines.Scan(); {
		var p pairOfWords
		d := cyclesBetween{seen: true}
		if got, _ := fmt.Sscanf(lines.Text(), "%x %x %d", &p.from, &p.to, &d.least); got < 3 {
			continue
		}
		words := strings.Fields(lines.Text())[3:]
		p.wait, p.over, d.often = slices.Contains(words, "wait"), slices.Contains(words, "over"), slices.Contains(words, "often")
		table[p] = d
		if p.over {
			continue
		}
		lower(table, pairOfWords{from: p.from, first: true}, d)
		if p.wait {
			continue
		}
		lower(table, pairOfWords{from: p.from, any: true}, d)
		all := pairOfWords{from: p.from, all: true}
		table[all] = cyclesBetween{least: max(table[all].least, d.least), seen: true}
	}
	return table
})

// lower lowers what the table has for a word to what one pair has.
func lower(table map[pairOfWords]cyclesBetween, p pairOfWords, d cyclesBetween) {
	if has := table[p]; has.seen {
		d.least, d.often = min(d.least, has.least), d.often || has.often
	}
	table[p] = d
}

// family is the opcode of a word, of arithmetic without the form of its operands.
func family(word []byte) uint64 {
	op := sass.Opcode(word)
	if _, ok := sass.Others[op]; !ok && op>>8%2 == 0 && op != 0x803 && op != 0x81c && op != 0x886 { // P2R, PLOP3, VOTEU
		return op % 0x100
	}
	return op
}
