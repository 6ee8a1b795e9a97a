package mercury

// What surroundings add to the words of a record, before and behind them. It
// is decided by what stands around the instruction, such as a hazard of the
// hardware, and no record says it:
//
//	@!PT LDS RZ, [RZ]      up to four in front
//	992 with 0x8000        one in front of another 992
//	3c6, 9b1               a pair behind, without operands
//
// Source: the stored nodes of 13.0.88 and 13.5.37 that nvlink gives the same
// record with and without them.

const (
	opFence = 0x992
	opPairA = 0x3c6
	opPairB = 0x9b1
)

var (
	hazard      = Word{0x00000000fffff984, 0x0000000000000800}
	hazardMask  = Word{^uint64(0), ^uint64(Schedule)}
	beforeFence = Word{0x0000000000007992, 0x0000000000008000}
)

func bare(w Word, op uint64) bool {
	return w.opcode() == op && w.Lo&^0xffff == 0 && w.Hi&^Schedule == 0
}

// align returns the number of words before the core of a record, whose opcodes
// are ops, in the words that stand there.
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
	return before, same()
}
