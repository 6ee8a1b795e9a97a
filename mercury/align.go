package mercury

// What surroundings add to the words of a record, before and after them. It
// is decided by what stands around the instruction, such as a hazard of the
// hardware, and no record says it:
//
//	@!PT LDS RZ, [RZ]      up to four in front
//	992 with 0x8000        one before another 992
//	3c6, 9b1               a pair after, without operands
//	3c6                    one before a fence on barriers, 5b2
//	918 with its guard     one after WARPSYNC, 948 and 348, of 12.8 and 12.9, and after some BREAKs, 942
//	992 with 0x5000, 9ab,  a fence before an EXIT, with its guard; the last
//	5ab                    two alone where another fence is before them
//
// Source: the stored nodes of 13.0.88 and 13.5.37 that nvlink gives the same
// record with and without them, and what ptxas 12.8.93 and 12.9.86 make of
// bar.warp.sync and redux.sync.

const (
	opFence = 0x992
	opPairA = 0x3c6
	opPairB = 0x9b1
	opNOP   = 0x918
	opSync  = 0x948
	opSyncR = 0x348 // its mask in a register
	opBreak = 0x942
	opExit  = 0x94d

	opBarrierFence = 0x5b2
)

var (
	hazard      = Word{0x00000000fffff984, 0x0000000000000800}
	hazardMask  = Word{^uint64(0), ^uint64(Schedule)}
	beforeFence = Word{0x0000000000007992, 0x0000000000008000}
	beforeExit  = []Word{{0x0992, 0x5000}, {0x09ab, 0}, {0x05ab, 0}}
)

func bare(w Word, op uint64) bool {
	return w.opcode() == op && w.Lo&^0xffff == 0 && w.Hi&^Schedule == 0
}

// exitFence returns how many words of a fence are before an EXIT that is
// the last of the words: 0 where they are no such fence.
func exitFence(sass []Word) int {
	n := len(sass) - 1
	if n != 2 && n != 3 {
		return 0
	}
	guard := sass[n].Lo & 0xf000
	for i, f := range beforeExit[3-n:] {
		if sass[i].Lo != f.Lo|guard || sass[i].Hi&^Schedule != f.Hi {
			return 0
		}
	}
	return n
}

// nopBehind reports whether the second of two words is a NOP with the guard of the first.
func nopBehind(two []Word) bool {
	return bare(two[1], opNOP) && (two[0].Lo^two[1].Lo)&0xf000 == 0
}

// align returns the number of words before the core of a record, whose opcodes
// are ops, in the words that are there.
func align(ops []uint32, sass []Word) (before int, ok bool) {
	same := func() bool {
		if len(sass)-before != len(ops) {
			return false
		}
		for i, op := range ops {
			if sass[before+i].opcode() != uint64(op) {
				return false
			}
		}
		return true
	}
	if len(sass) == len(ops) {
		// Other opcodes here are a difference to be shown, no reason.
		return 0, true
	}
	if n := len(sass); n >= 3 && bare(sass[n-2], opPairA) && bare(sass[n-1], opPairB) {
		sass = sass[:n-2]
	}
	for before < 4 && len(sass)-before > len(ops) && sass[before].under(hazardMask) == hazard {
		before++
	}
	if len(sass)-before == len(ops)+1 && len(ops) > 0 && ops[0] == opFence &&
		sass[before].Hi&^Schedule == beforeFence.Hi && sass[before].Lo&^0xf000 == beforeFence.Lo&^0xf000 {
		before++
	}
	if len(ops) == 1 && ops[0] == opBarrierFence && before == 0 && len(sass) == 2 && bare(sass[0], opPairA) {
		before = 1
	}
	if len(ops) == 1 && (ops[0] == opSync || ops[0] == opSyncR || ops[0] == opBreak) && len(sass)-before == 2 && nopBehind(sass[before:]) {
		sass = sass[:before+1]
	}
	if len(ops) == 1 && ops[0] == opExit && before == 0 {
		before = exitFence(sass)
	}
	return before, same()
}
