package sass

import "github.com/twinlink/twinlink/oracle/check/internal/image"

// Functions inside a kernel, as ptxas -ewp compiles them, come back by RET.REL, whose distance counts from where it
// stands, to a place that a MOV before the CALL.REL says. Both change with the words between. A call through a pointer is
// CALL.REL too, with a register: its distance is that to the kernel's start.
//
// Source: 60 links of -ewp objects for sm_100 and up by nvlink 13.0 to 13.5, with -g and of code of ptxas -O0.

// returnsNear reports whether a word is RET.REL.
func returnsNear(word []byte) bool {
	const absolute = 85
	return Opcode(word) == OpRet && image.Number(word, 8, 8)>>(absolute-64)%2 == 0
}

// farthest is how many words before the place of its number a MOV is looked at.
const farthest = 256

// NumberOf is what a MOV or UMOV puts into a register.
func NumberOf(word []byte) (n uint64, ok bool) {
	if len(word) == 0 || Opcode(word) != opMovNumber && Opcode(word) != opUMovNumber {
		return 0, false
	}
	return image.Number(word, 4, 4), true
}

// ReturnTo is the place after the next CALL.REL, where a word puts that into a register.
func ReturnTo(code []byte, i int) (to uint64, ok bool) {
	word, _ := image.Cut(code, uint64(i)*Instruction, Instruction)
	if to, ok = NumberOf(word); !ok || Opcode(word) != opMovNumber {
		return 0, false
	}
	if to%Instruction != 0 || to/Instruction > uint64(i)+farthest {
		return 0, false
	}
	for at := uint64(i+1) * Instruction; at < to; at += Instruction {
		word, ok := image.Cut(code, at, Instruction)
		if !ok {
			return 0, false
		}
		if Branches(word) {
			return to, (Opcode(word) == OpCallRel || Opcode(word) == OpCallRelTo) && at == to-Instruction
		}
	}
	return 0, false
}

// PutNumber writes the number of a MOV.
func PutNumber(word []byte, n uint64) {
	for k := range uint64(4) {
		word[4+k] = byte(n >> (8 * k))
	}
}
