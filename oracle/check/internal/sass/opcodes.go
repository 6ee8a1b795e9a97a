package sass

import "github.com/twinlink/twinlink/oracle/check/internal/image"

// Branches reports whether a word has a distance in it that changes with the
// words between.
func Branches(word []byte) bool {
	switch Opcode(word) {
	case OpBra, OpBraU, OpBraDiv, OpBrx, OpBrxU, opBssy, OpCallRel, OpCallRelTo:
		return true
	}
	return returnsNear(word)
}

// Distance is how far a branch goes, in bytes from the next word.
func Distance(word []byte) int64 {
	low, high := image.Number(word, 0, 8), image.Number(word, 8, 8)
	if Opcode(word) == opBssy {
		return int64(int32(low >> 34 << 2)) // 30 bits, in words of four bytes
	}
	// Bits 16 to 23 hold the lowest eight of a count of four bytes, 34 to 81
	// the others.
	n := low>>16&0xff | (low>>34|high&(1<<18-1)<<30)<<8
	return int64(n<<8) >> 8 * 4
}

// IsLoop reports whether a branch goes to itself.
func IsLoop(word []byte) bool { return Distance(word) == -Instruction }

// OfDoubles reports whether a word goes to the unit of doubles: arithmetic or DSETP.
func OfDoubles(op uint64) bool { return isDouble(op) || op>>8%2 == 0 && op>>9 > 0 && op%0x100 == 0x2a }

// IsBarrier reports whether a word is a BAR.
func IsBarrier(word []byte) bool { return Opcode(word) == 0xb1d || Opcode(word) == 0x31d }
