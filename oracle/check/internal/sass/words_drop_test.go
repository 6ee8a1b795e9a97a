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

// TestMayDrop: a linker may leave out padding, a fence that a stronger one follows, and fences before the end. The error barriers
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
