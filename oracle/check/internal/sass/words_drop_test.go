package sass

import (
	"encoding/binary"
	"testing"
)

// codeOf is code of opcodes, with the upper half of each word.
func codeOf(words ...[2]uint64) []byte {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(code, 0x7000|w[0]), w[1])
	}
	return code
}

// TestMayDrop: a linker may omit padding, a fence that a stronger one follows, and fences before the end. The error barriers
// of a fence in the middle of code are the program's.
func TestMayDrop(t *testing.T) {
	const cta, system = 0x8000, 0x5000 // MEMBAR.ALL.CTA, MEMBAR.SC.VC
	w := func(op uint64, high ...uint64) [2]uint64 { return [2]uint64{op, append(high, 0)[0]} }
	const exit, arrive, add = OpExit, 0x9c7, 0x210
	for i, x := range []struct {
		words []([2]uint64)
		want  bool // of the first
	}{
		{[][2]uint64{w(OpNop), w(add)}, true},
		{[][2]uint64{w(add), w(exit)}, false},
		{[][2]uint64{w(opMembar, cta), w(opMembar, 0xa000)}, true},
		{[][2]uint64{w(opMembar, 0xa000), w(opMembar, cta)}, false},
		{[][2]uint64{w(opMembar, cta), w(OpErrbar)}, false},
		{[][2]uint64{w(opMembar, system), w(OpErrbar), w(exit)}, true},
		{[][2]uint64{w(opMembar, system), w(OpCgaErrbar), w(exit)}, true},
		{[][2]uint64{w(opMembar, system), w(exit)}, true},
		{[][2]uint64{w(opMembar, system), w(add)}, false},
		{[][2]uint64{w(OpErrbar), w(OpCgaErrbar), w(exit)}, true},
		{[][2]uint64{w(OpCgaErrbar), w(exit)}, true},
		{[][2]uint64{w(OpErrbar), w(opMembar, system), w(OpErrbar), w(exit)}, true},
		{[][2]uint64{w(OpErrbar), w(OpCgaErrbar), w(arrive)}, false},
		{[][2]uint64{w(OpCgaErrbar), w(arrive), w(exit)}, false},
		{[][2]uint64{w(OpErrbar)}, false},
		{[][2]uint64{w(OpErrbar, 1), w(exit)}, false},
		{[][2]uint64{w(OpBra), w(OpNop)}, true},
		{[][2]uint64{w(OpBra)}, true},
		{[][2]uint64{w(OpBra), w(add)}, false},
	} {
		if got := MayDrop(codeOf(x.words...), 0); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestPutIn: a linker may put in padding, fences that only make more wait, and what is never applied.
func TestPutIn(t *testing.T) {
	for i, x := range []struct {
		op, high uint64
		guard    byte // and what is above it
		want     bool
	}{
		{OpNop, 0, 7, true}, {OpNop, 1, 7, false}, {OpNop, 0, 0, false},
		{opMembar, 0x5000, 7, true}, {opMembar, 0x5000, 0, true}, {opMembar, 0x8000, 7, false}, {opMembar, 0xa000, 7, false}, {opMembar, 0, 7, false},
		{OpErrbar, 0, 7, true}, {OpErrbar, 0, 0, true}, {OpErrbar, 1, 7, false},
		{OpCgaErrbar, 0, 7, true}, {OpCgaErrbar, 1, 7, false},
		{OpTmaFlush, 0, 7, true}, {OpTmaFlush, 0, 0, false}, {OpTmaFlush, 1, 7, false},
		{0x984, 0x800, 15, true}, {0x984, 0x800, 7, false}, // @!PT LDS RZ, [RZ]
		{OpMov, 0xf00, 7, false}, {OpExit, 0, 7, false}, {OpExit, 0, 15, true},
	} {
		word := codeOf([2]uint64{x.op, x.high | ControlMask})
		if word[1] = word[1]&15 | x.guard<<4; PutIn(word) != x.want {
			t.Errorf("%d: opcode %x with %x, guard %d: %v", i, x.op, x.high, x.guard, !x.want)
		}
	}
}

// TestPutInAt: a fence of a block's threads may be inserted before one that reaches further.
func TestPutInAt(t *testing.T) {
	const cta, gpu, system = 0x8000, 0xa000, 0x5000 // MEMBAR.ALL.CTA, .ALL.GPU, .SC.VC
	w := func(op uint64, high ...uint64) [2]uint64 { return [2]uint64{op, append(high, 0)[0] | ControlMask} }
	for i, x := range []struct {
		words []([2]uint64)
		want  bool // of the first
	}{
		{[][2]uint64{w(opMembar, cta), w(opMembar, gpu)}, true},
		{[][2]uint64{w(opMembar, cta), w(opMembar, system)}, true},
		{[][2]uint64{w(opMembar, cta), w(opMembar, cta)}, false},
		{[][2]uint64{w(opMembar, gpu), w(opMembar, gpu)}, false},
		{[][2]uint64{w(opMembar, cta), w(OpErrbar)}, false},
		{[][2]uint64{w(opMembar, cta)}, false},
		{[][2]uint64{w(opMembar, system), w(OpExit)}, true},
		{[][2]uint64{w(OpNop)}, true},
		{[][2]uint64{w(OpErrbar, cta), w(opMembar, gpu)}, false},
	} {
		if got := PutInAt(codeOf(x.words...), 0); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
