package schedule

import "github.com/twinlink/twinlink/oracle/check/internal/sass"

// Words of one unit are applied in their order. So a scoreboard of a later one says that
// an earlier one is done as well, and ptxas and nvlink omit what that makes needless.
//
// Results come in order of some words of variable latency (inOrder), of conversions and of doubles. Operands are
// read in order by the unit of doubles, by that of IMMA, by stores to surfaces, and by accesses to local and shared
// memory, where a store has read its registers after a barrier, too.
//
// Sources: code of ptxas 13.5.37 of 64 C++ programs for sm_100 to sm_120: of 480 stores
// without a scoreboard whose registers are written over, each has a later access or a barrier
// between. Stores to surfaces in code that nvlink 13.5.37 rescheduled. Code of sm_100 with doubles and IMMA that nvlink 13.5.37 made code of sm_103.

// tells are the scoreboards of a later word that say that the result of an earlier one, or
// its operands, are done.
func (s *schedule) tells(earlier, later int, result bool) uint64 {
	from, by := s.words[earlier], s.words[later]
	switch {
	case result && resultsInOrder(sass.Opcode(from), sass.Opcode(by)):
		return boardBit(s.out[later].Write)
	case !result && readInOrder(from, by):
		return boardBit(s.out[later].Write) | boardBit(s.out[later].Read)
	}
	return 0
}

// resultsInOrder reports whether the result of a word is there when that of a later one is.
func resultsInOrder(from, by uint64) bool {
	return inOrder[from] && from == by || sass.OfDoubles(from) && sass.OfDoubles(by) || sass.Converts(from) && sass.Converts(by)
}

// readInOrder reports whether a word has read its operands when a later one has.
func readInOrder(from, by []byte) bool {
	x, y := sass.Opcode(from), sass.Opcode(by)
	return sass.OfDoubles(x) && sass.OfDoubles(y) || x == opIMMA && y == opIMMA || storesSurface(x) && storesSurface(y) || storesInOrder(from) && accessesInOrder(by)
}

// inOrder are words of variable latency whose results come in the order in which they
// were issued: ptxas gives a scoreboard to the last of a few alone.
//
// Source: 24,363 words without a scoreboard of their own before another of the same opcode
// with one, in 1,585 functions of ptxas 13.0.88 and 13.5.37.
var inOrder = map[uint64]bool{0x589: true, 0x984: true, 0x989: true, 0x9c3: true, 0xb82: true, 0xf89: true}

const opIMMA = 0x237

func storesSurface(op uint64) bool { return op == 0xf9b || op == 0xf9d } // SUST.P, SUST

func storesInOrder(word []byte) bool {
	switch sass.Opcode(word) {
	case 0x387, 0x388, 0x987, 0x988: // STL, STS
		return true
	}
	return false
}

func accessesInOrder(word []byte) bool {
	return storesInOrder(word) || sass.Opcode(word) == 0x983 || sass.Opcode(word) == 0x984 // LDL, LDS
}

// slow reports whether the input relied on a latency that the output's target doesn't have: on sm_103
// doubles and IMMA are done once in 64 cycles, and nvlink gives scoreboards to those of code
// for sm_100.
func (s *schedule) slow(i int) bool {
	op := sass.Opcode(s.words[i])
	return s.slower && s.known[i] && (sass.OfDoubles(op) || op == opIMMA)
}

// slowest is after how many cycles the result of a slow word is there without any wait.
//
// Source: code of sm_100 for sm_103 by nvlink 13.0.88 to 13.5.37. The least that is known to be
// enough; nothing was seen to rely on less.
const slowest = 64

// doneAt is the word where the result of a slow word is there as so many cycles have passed: only
// where no other path leads on; -1: none.
func (s *schedule) doneAt(t token) int {
	if !t.result || !s.slow(t.word) {
		return -1
	}
	cycles := uint64(0)
	for j := t.word; j < len(s.words); j++ {
		if cycles >= slowest {
			return j
		}
		if s.leaves(j) {
			break
		}
		cycles += s.out[j].Stall
	}
	return -1
}

// fencesWait reports whether a word that uses a result too soon is a fence that was inserted,
// and one right after it waits. nvlink 13.5 lets the ERRBAR wait for the guard of a MEMBAR that
// a comparison of doubles makes; whether the MEMBAR is held as well is not known.
func (s *schedule) fencesWait(t token, at int) bool {
	for ; at < len(s.words) && sass.IsFence(s.words[at]) && !s.known[at]; at++ {
		if t.result && t.out != sass.NoBoard && s.out[at].Wait>>t.out&1 != 0 {
			return true
		}
	}
	return false
}
