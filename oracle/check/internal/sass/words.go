package sass

import (
	"bytes"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// Which word of the input's SASS is which of the output's.
//
// From sm_100 on nvlink writes the SASS from the Mercury side. The words are the
// input's with their relocations, but a kernel may be rescheduled (bits 105 to
// 125 of a word), a MEMBAR that another one covers may be dropped with the dummy
// loads before it, and with -g each EXIT of a kernel gets a MEMBAR, an ERRBAR and a
// CGAERRBAR before it. NOP comes and goes as padding. Anything else is no word
// of the input.
//
//	105..108 stall   109 yield   110..112 write barrier   113..115 read barrier
//	116..121 wait mask           122..125 reuse
//
// Source: 2,736 kernels through nvlink 13.0.88 (sm_100, sm_120).

const Instruction = 16

const (
	ControlFirst = 105
	ControlLast  = 125
)

// WordMap tells for each word of the input's code where it is in the output's.
type WordMap struct {
	To       []int32 // by word of the input; -1: dropped
	From     []int32 // by word of the output; -1: put in
	Identity bool
	Short    map[int32]bool // words of the output that are an IADD for an IADD3
	Strange  bool           // some are not the input's, and nothing can be said of that
}

const (
	opMembar     = 0x992
	OpErrbar     = 0x9ab
	OpTmaFlush   = 0x9b7 // UTMACMDFLUSH
	OpCgaErrbar  = 0x5ab
	OpNop        = 0x918
	OpDepbar     = 0x91a
	OpBra        = 0x947
	OpBraU       = 0x547
	OpBraDiv     = 0x948
	OpBrx        = 0x949
	OpBrxU       = 0x958
	opBssy       = 0x945
	OpCallRel    = 0x944
	OpCall       = 0x943
	OpCallTo     = 0x343 // what a register says
	OpCallRelTo  = 0x344
	OpExit       = 0x94d
	OpBsync      = 0x941
	OpRet        = 0x950
	opUmov       = 0xc82 // of a uniform register
	OpMov        = 0x202
	opMovNumber  = 0x802
	opUMovNumber = 0x882
	OpLdc        = 0xb82
	OpYield      = 0x946
)

// Opcode is bits 0 to 11 of a word.
func Opcode(word []byte) uint64 { return image.Number(word, 0, 2) % 4096 }

// SameWord compares words but for scheduling, fields and the distances of
// branches.
func SameWord(a, b []byte, mask *[Instruction]byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := bytes.Clone(a), bytes.Clone(b)
	for _, word := range [...][]byte{x, y} {
		Blank(word, ControlFirst, ControlLast)
		BlankDistance(word)
		if mask != nil {
			for k := range mask {
				word[k] &^= mask[k]
			}
		}
	}
	return bytes.Equal(x, y) || ShortAddition(x, y) || WithoutYield(x, y)
}

// ShortAddition reports whether y is the IADD that does what the IADD3 x does: nvlink
// 13.5 writes it for code of older ptxas where the third source is RZ, and nothing
// is in the places of a second carry. The words are blanked.
//
//	        64..71   72      74   77..80   81..83   84..86     87..90   91
//	IADD3   RZ       negate  .X   !PT      carry    PT         carry in uniform
//	IADD    0        negate  .X   0        carry    0          carry in uniform
//
// Source: code of ptxas 13.0.88 linked by nvlink 13.5.37, listed by nvdisasm 13.5.
func ShortAddition(x, y []byte) bool {
	op := Opcode(x)
	if op%0x100 != 0x10 || op>>8%2 != 0 || op+0x25 != Opcode(y) || image.Number(x, 0, 8)+0x25 != image.Number(y, 0, 8) {
		return false
	}
	const (
		both  = 1<<(72-64) | 1<<(74-64) | 7<<(81-64) | 15<<(87-64) | 1<<(91-64)
		alone = 0xff | 15<<(77-64) | 7<<(84-64)
	)
	high := image.Number(x, 8, 8)
	return high&^both == alone && image.Number(y, 8, 8) == high&both
}

// Throttles reports whether a DEPBAR counts in another scoreboard than in the input, as the
// next word does: it only keeps that one from running over.
//
// Source: DEPBAR.LE SB1, 0x36 before UTCATOMSWS in code of ptxas 13.0.88, SB3 by nvlink 13.5.37; 13.3 to 13.5 for
// code of their own ptxas.
func (w *WordMap) Throttles(in, out []byte, i int) bool {
	return i+1 < len(w.To) && w.To[i+1] == w.To[i]+1 && CountsElsewhere(in, out, i, int(w.To[i]))
}

// CountsElsewhere reports whether two words are such a DEPBAR.
func CountsElsewhere(in, out []byte, i, j int) bool {
	x, _ := image.Cut(in, uint64(i)*Instruction, Instruction)
	y, ok := image.Cut(out, uint64(j)*Instruction, Instruction)
	from, more := image.Cut(in, uint64(i+1)*Instruction, Instruction)
	to, also := image.Cut(out, uint64(j+1)*Instruction, Instruction)
	if !ok || !more || !also || Opcode(x) != OpDepbar || BoardOf(x) != ControlOf(from).Write || BoardOf(y) != ControlOf(to).Write {
		return false
	}
	x, y = bytes.Clone(x), bytes.Clone(y)
	for _, word := range [...][]byte{x, y} {
		Blank(word, ControlFirst, ControlLast)
		Blank(word, 44, 46)
	}
	return bytes.Equal(x, y)
}

// BoardOf is the scoreboard that a DEPBAR names.
func BoardOf(word []byte) uint64 { return image.Number(word, 5, 1) >> 4 % 8 }

// BlankDistance clears how far a branch or a RET.REL goes: bits 16 to 23 and 34 to 81, of a
// BSSY 34 to 63.
func BlankDistance(word []byte) {
	switch Opcode(word) {
	case OpBra, OpBraU, OpBraDiv, OpBrx, OpBrxU, OpCallRel, OpCallRelTo:
		Blank(word, 16, 23)
		Blank(word, 34, 81)
	case opBssy:
		Blank(word, 34, 63)
	case OpRet:
		if returnsNear(word) {
			Blank(word, 16, 23)
			Blank(word, 34, 81)
		}
	}
}

// Blank clears the bits from first to last.
func Blank(word []byte, first, last uint) {
	for at := first; at <= last; at++ {
		word[at/8] &^= 1 << (at % 8)
	}
}

// PutIn reports whether a word does nothing to what a program computes: NOP, a
// fence, an error barrier, a flush of tensor maps' commands, an addition of nothing to nothing, or what
// is never executed. nvlink from 13.1 on puts the flush after each UTMACCTL of code of ptxas 13.0, as ptxas from 13.1 on does.
func PutIn(b []byte) bool {
	if Never(b) {
		return true
	}
	switch low := image.Number(b, 0, 8) &^ 0xf000; Opcode(b) { // but for the guard
	case OpNop:
		return image.Number(b, 0, 8) == 0x7918 && image.Number(b, 8, 8)&^ControlMask == 0
	case opMembar:
		return low == opMembar && image.Number(b, 8, 8)&^ControlMask == 0x5000 // .SC.VC
	case OpTmaFlush:
		return image.Number(b, 0, 8) == 0x79b7 && image.Number(b, 8, 8)&^ControlMask == 0
	case OpErrbar:
		return low == OpErrbar && image.Number(b, 8, 8)&^ControlMask == 0
	case OpCgaErrbar:
		return low == OpCgaErrbar && image.Number(b, 8, 8)&^ControlMask == 0
	case 0x290: // UIADD3 to URZ
		return image.Number(b, 2, 1) == 0xff
	}
	return false
}

// PutInAt reports whether a word of code is one of these, or a fence of a block's threads right before a stronger one.
//
// Source: MEMBAR.ALL.CTA before MEMBAR.ALL.GPU in a function of an -ewp program, by -r of nvlink 13.5.37.
func PutInAt(code []byte, j int) bool {
	word, _ := image.Cut(code, uint64(j)*Instruction, Instruction)
	next, ok := image.Cut(code, uint64(j+1)*Instruction, Instruction)
	return PutIn(word) || ok && Opcode(next) == opMembar && image.Number(next, 8, 8)&^ControlMask != 0x8000 &&
		image.Number(word, 0, 8)&^0xf000 == opMembar && image.Number(word, 8, 8)&^ControlMask == 0x8000
}

// IsFence reports whether a word is a MEMBAR, an ERRBAR or a CGAERRBAR.
func IsFence(word []byte) bool {
	op := Opcode(word)
	return op == opMembar || op == OpErrbar || op == OpCgaErrbar
}

// GuardOf is the guard of a word: a predicate, and whether it is negated.
func GuardOf(word []byte) byte { return word[1] >> 4 }

// Fenced is the guard of the first word from j on that is no fence.
func Fenced(code []byte, j int) byte {
	for ; ; j++ {
		word, ok := image.Cut(code, uint64(j)*Instruction, Instruction)
		if !ok {
			return Always
		}
		if !IsFence(word) {
			return GuardOf(word)
		}
	}
}

// ControlMask are bits 105 to 125 in the upper half of a word.
const ControlMask = uint64(1<<21-1) << (ControlFirst - 64)

// MayDrop reports whether a word of the input may be missing: padding, a fence
// right before a stronger one, the fence that ptxas -g puts before the end, a register
// moved to itself (nvJitLink 13.3 and 13.4 leave that out), or what is never executed.
func MayDrop(code []byte, i int) bool {
	word, _ := image.Cut(code, uint64(i)*Instruction, Instruction)
	high := image.Number(word, 8, 8) &^ ControlMask
	following := func(k int) uint64 {
		next, ok := image.Cut(code, uint64(k)*Instruction, Instruction)
		if !ok {
			return 0
		}
		return Opcode(next)
	}
	switch Opcode(word) {
	case OpNop:
		return true
	case OpBra:
		return following(i+1) == OpNop || following(i+1) == 0 // the loop after the end
	case opMembar:
		next := following(i + 1)
		return high == 0x8000 && next == opMembar || high == 0x5000 && (next == OpErrbar || next == OpCgaErrbar || next == OpExit)
	case OpErrbar, OpCgaErrbar:
		for i++; following(i) == opMembar || following(i) == OpErrbar || following(i) == OpCgaErrbar; i++ {
		}
		return high == 0 && following(i) == OpExit
	case OpDepbar:
		return KeepsCount(code, i)
	case opUmov:
		return word[2] == word[4] && high == 1<<(91-64)
	case OpMov:
		return word[2] == word[4] && high == 0xf<<(72-64)
	}
	return Never(word)
}

// KeepsCount reports whether a DEPBAR counts in the scoreboard that the next word takes: it
// keeps that one from running over. Code without any schedule, by nvlink 13.5, lacks it.
func KeepsCount(code []byte, i int) bool {
	word, _ := image.Cut(code, uint64(i)*Instruction, Instruction)
	next, ok := image.Cut(code, uint64(i+1)*Instruction, Instruction)
	return ok && Opcode(word) == OpDepbar && BoardOf(word) == ControlOf(next).Write
}

// Never reports whether a word's guard is never true, as that of @!PT LDS RZ, [RZ].
func Never(word []byte) bool { return word[1]>>4 == 15 }

// LeadsTo is where a branch to a word of the input may go: to the word, to what
// was inserted before it, or to the next that is still there.
func (w *WordMap) LeadsTo(i uint64) (first, last uint64, ok bool) {
	for ; i < uint64(len(w.To)); i++ {
		if j := w.To[i]; j >= 0 {
			first, last = uint64(j), uint64(j)
			for first > 0 && w.From[first-1] < 0 {
				first--
			}
			return first, last, true
		}
	}
	return 0, 0, false
}

// WithoutYield reports whether y is the NOP that represents the YIELD x. From sm_100 on
// nvlink 13.0 and later write it in functions whose inputs have no records for it, where
// another input has an older virtual architecture. The words are blanked.
func WithoutYield(x, y []byte) bool {
	return Opcode(x) == OpYield && image.Number(x, 8, 8) == 7<<(87-64) && image.Number(y, 0, 8) == image.Number(x, 0, 8)-OpYield+OpNop && image.Number(y, 8, 8) == 0
}
