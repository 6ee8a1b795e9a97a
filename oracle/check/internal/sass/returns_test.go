package sass

import (
	"encoding/binary"
	"testing"
)

// TestReturnTo: the number of a MOV is where the next CALL.REL comes back to, if nothing branches in between.
func TestReturnTo(t *testing.T) {
	word := func(op, number uint64) []byte {
		w := make([]byte, Instruction)
		binary.LittleEndian.PutUint64(w, op|7<<12|number<<32)
		return w
	}
	const nop, relative, absolute = OpNop, 0x03c00000, 0x03e00000
	returns := func(how uint32) []byte {
		w := word(OpRet, 0)
		binary.LittleEndian.PutUint32(w[8:], how)
		return w
	}
	many := func(n int) (list [][]byte) {
		for range n {
			list = append(list, word(nop, 0))
		}
		return list
	}
	for i, x := range []struct {
		words [][]byte
		ok    bool
	}{
		{[][]byte{word(opMovNumber, 32), word(OpCallRel, 0), word(nop, 0)}, true},
		{[][]byte{word(opMovNumber, 32), word(OpCallRel, 0)}, true}, // after the end
		{[][]byte{word(opMovNumber, 48), word(nop, 0), word(OpCallRel, 0)}, true},
		{[][]byte{word(opMovNumber, 32), word(OpCallRelTo, 0)}, true}, // through a pointer
		{[][]byte{word(opMovNumber, 32), word(OpCallTo, 0)}, false},
		{[][]byte{word(opMovNumber, 48), word(OpCallRel, 0), word(OpCallRel, 0)}, false}, // not the next
		{[][]byte{word(opMovNumber, 48), word(OpBra, 0), word(OpCallRel, 0)}, false},
		{[][]byte{word(opMovNumber, 48), returns(relative), word(OpCallRel, 0)}, false},
		{[][]byte{word(opMovNumber, 48), returns(absolute), word(OpCallRel, 0)}, true},
		{[][]byte{word(opMovNumber, 33), word(OpCallRel, 0)}, false},
		{[][]byte{word(opMovNumber, 16), word(OpCallRel, 0)}, false},
		{[][]byte{word(opMovNumber, 0), word(OpCallRel, 0)}, false},
		{[][]byte{word(opMovNumber, 64), word(OpCallRel, 0)}, false},
		{[][]byte{word(opMovNumber, 32), word(OpCall, 0)}, false},
		{[][]byte{word(OpMov, 32), word(OpCallRel, 0)}, false},
		{append(append([][]byte{word(opMovNumber, 256*16)}, many(254)...), word(OpCallRel, 0)), true},
		{append(append([][]byte{word(opMovNumber, 257*16)}, many(255)...), word(OpCallRel, 0)), false}, // too far
		{nil, false},
	} {
		var code []byte
		for _, w := range x.words {
			code = append(code, w...)
		}
		to, ok := ReturnTo(code, 0)
		if ok != x.ok || ok && to != binary.LittleEndian.Uint64(code)>>32 {
			t.Errorf("%d: 0x%x %t", i, to, ok)
		}
	}
	for how, want := range map[uint32]bool{relative: true, absolute: false} {
		if w := returns(how); Branches(w) != want {
			t.Errorf("RET 0x%x branches: %t", how, !want)
		}
	}
	near, far := returns(relative), returns(relative)
	far[2], far[6], far[8], near[8] = 0x40, 1, 3, 0
	if BlankDistance(far); far[2] != 0 || far[6] != 0 || far[8] != 0 || far[10] != near[10] {
		t.Errorf("the distance of a RET: %x", far)
	}
	if w := word(opMovNumber, 1); true {
		if PutNumber(w, 0x12345678); binary.LittleEndian.Uint64(w)>>32 != 0x12345678 || w[0] != 2 {
			t.Errorf("a number: %x", w)
		}
	}
}
