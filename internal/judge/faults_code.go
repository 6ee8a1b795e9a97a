package main

import "slices"

// Opcodes of the words that faults look for: bits 0 to 11.
const (
	opNop  = 0x918
	opLdc  = 0xb82
	opBra  = 0x947
	opBssy = 0x945
	opExit = 0x94d
	opBrx  = 0x949
)

// onWord plants a fault into one instruction.
func onWord(ok func(f *file, at uint64) bool, change func(f *file, at uint64)) func(*file) string {
	return func(f *file) string {
		w := f.pickWord(func(at uint64) bool { return ok(f, at) })
		if w == nil || !f.fromSM70() {
			return ""
		}
		change(f, w.at)
		return w.code.name
	}
}

// fromSM70 reports whether instructions have 16 bytes.
func (f *file) fromSM70() bool {
	return f.wide()
}

// wide reports whether the code ends in NOPs of 16 bytes or in a branch to itself.
func (f *file) wide() bool {
	for i := range f.sections {
		h := &f.sections[i]
		if h.code() && h.size >= 16 {
			last := h.off + h.size - 16
			return f.op(last) == opNop || f.op(last) == opBra
		}
	}
	return false
}

func anyWord(*file, uint64) bool { return true }

func isOp(list ...uint64) func(*file, uint64) bool {
	return func(f *file, at uint64) bool {
		never := f.low(at)>>12%16 == 15
		return !never && slices.Contains(list, f.op(at))
	}
}

// computes reports whether a word is arithmetic that writes a general register and is
// executed.
func computes(f *file, at uint64) bool {
	op := f.op(at)
	switch op % 256 {
	case 0x02, 0x10, 0x12, 0x19, 0x21, 0x23, 0x24, 0x25, 0x35, 0x36:
		itself := op == 0x202 && f.low(at)>>16%256 == f.low(at)>>32%256 // MOV, which does nothing
		return op>>8%2 == 0 && f.low(at)>>16%256 != 255 && f.low(at)>>12%16 == 7 && !itself
	}
	return false
}

func (f *file) flip(at uint64, bit uint) { f.bytes[at+uint64(bit/8)] ^= 1 << (bit % 8) }

// field sets bits of a word.
func (f *file) field(at uint64, first, width uint, n uint64) {
	for i := range width {
		b := &f.bytes[at+uint64((first+i)/8)]
		*b = *b&^(1<<((first+i)%8)) | byte(n>>i&1)<<((first+i)%8)
	}
}

var codeFaults = []fault{
	{name: "function of noise", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size > 0 })
		if h == nil {
			return ""
		}
		for i := range h.size {
			f.bytes[h.off+i] = byte(f.r.Below(256))
		}
		return h.name
	}},
	{name: "function of zeros", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size > 0 })
		if h == nil {
			return ""
		}
		clear(f.bytes[h.off : h.off+h.size])
		return h.name
	}},
	{name: "two functions' code swapped", plant: func(f *file) string {
		a := f.pickSection(func(h *header) bool { return h.code() })
		if a == nil {
			return ""
		}
		b := f.pickSection(func(h *header) bool {
			return h.code() && h.size == a.size && h.off != a.off && string(f.bytes[h.off:h.off+h.size]) != string(f.bytes[a.off:a.off+a.size])
		})
		if b == nil {
			return ""
		}
		x := string(f.bytes[a.off : a.off+a.size])
		copy(f.bytes[a.off:], f.bytes[b.off:b.off+b.size])
		copy(f.bytes[b.off:], x)
		return a.name + "|" + b.name
	}},
	{name: "word of noise", plant: onWord(anyWord, func(f *file, at uint64) {
		for i := range uint64(16) {
			f.bytes[at+i] = byte(f.r.Below(256))
		}
	})},
	{name: "word is NOP", plant: onWord(computes, func(f *file, at uint64) {
		f.put(at, 8, 0x7918)
		f.put(at+8, 8, 0x000fe20000000000)
	})},
	{name: "word copied over the next", plant: onWord(computes, func(f *file, at uint64) {
		if at+32 <= uint64(len(f.bytes)) {
			copy(f.bytes[at+16:], f.bytes[at:at+16])
		}
	})},
	{name: "two words swapped", plant: onWord(func(f *file, at uint64) bool {
		return computes(f, at) && computes(f, at+16) && f.low(at) != f.low(at+16)
	}, func(f *file, at uint64) {
		x := string(f.bytes[at : at+16])
		copy(f.bytes[at:], f.bytes[at+16:at+32])
		copy(f.bytes[at+16:], x)
	})},
	{name: "code shifted by a word", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size >= 256 })
		if h == nil {
			return ""
		}
		copy(f.bytes[h.off+16:h.off+h.size], append([]byte(nil), f.bytes[h.off:h.off+h.size-16]...))
		return h.name
	}},
	{name: "EXIT is NOP", plant: onWord(isOp(opExit), func(f *file, at uint64) { f.put(at, 2, f.get(at, 2)&0xf000|opNop) })},
	{name: "guard negated", plant: onWord(func(f *file, at uint64) bool { return f.low(at)>>12%8 != 7 }, func(f *file, at uint64) { f.flip(at, 15) })},
	{name: "guard of another predicate", plant: onWord(computes, func(f *file, at uint64) { f.field(at, 12, 3, 3) })},
	{name: "another result register", plant: onWord(computes, func(f *file, at uint64) { f.flip(at, 17) })},
	{name: "another first source", plant: onWord(func(f *file, at uint64) bool { return computes(f, at) && f.op(at)%256 != 2 }, func(f *file, at uint64) { f.flip(at, 25) })},
	{name: "another third source", plant: onWord(isOp(0x223, 0x224, 0x225, 0x22b, 0x212, 0x210), func(f *file, at uint64) { f.flip(at, 65) })},
	{name: "another immediate", plant: onWord(isOp(0x424, 0x810, 0x812, 0x824, 0x836, 0x423), func(f *file, at uint64) { f.flip(at, 33) })},
	{name: "another operation", plant: onWord(computes, func(f *file, at uint64) { f.flip(at, 2) })},
	{name: "another logical function", plant: onWord(isOp(0x212, 0x812), func(f *file, at uint64) { f.flip(at, 74) })},
	{name: "another bank of constants", plant: onWord(isOp(0xb82, 0xa10, 0xa24, 0x7ac), func(f *file, at uint64) { f.flip(at, 54) })},
	{name: "another constant", plant: onWord(isOp(0xb82, 0xa10, 0xa24, 0x7ac, 0xa02, 0xa25), func(f *file, at uint64) { f.flip(at, 42) })},
	{name: "load of another width", plant: onWord(isOp(0x981, 0x980, 0x984, 0x983), func(f *file, at uint64) { f.flip(at, 73) })},
	{name: "store of another width", plant: onWord(isOp(0x986, 0x985, 0x988, 0x387, 0x388), func(f *file, at uint64) { f.flip(at, 73) })},
	{name: "another offset of a load", plant: onWord(isOp(0x981, 0x980, 0x983), func(f *file, at uint64) { f.flip(at, 42) })},
	{name: "another address register", plant: onWord(isOp(0x981, 0x980, 0x986, 0x985), func(f *file, at uint64) { f.flip(at, 25) })},
	{name: "another stored register", plant: onWord(isOp(0x986, 0x985, 0x988, 0x387, 0x388), func(f *file, at uint64) { f.flip(at, 33) })},
	{name: "another special register", plant: onWord(isOp(0x919, 0x9c3), func(f *file, at uint64) { f.flip(at, 72) })},
	{name: "branch two words further", plant: onWord(conditional, func(f *file, at uint64) { f.moveBranch(at, 8) })},
	{name: "branch one word less far", plant: onWord(conditional, func(f *file, at uint64) { f.moveBranch(at, -4) })},
	{name: "branch far away", plant: onWord(conditional, func(f *file, at uint64) { f.moveBranch(at, 1<<12) })},
	{name: "BSSY to another word", plant: onWord(isOp(opBssy), func(f *file, at uint64) { f.field(at, 34, 30, f.low(at)>>34+8) })},
	{name: "indirect branch from another place", plant: onWord(isOp(opBrx), func(f *file, at uint64) { f.moveBranch(at, 4) })},
	{name: "barrier of another number", plant: onWord(isOp(0xb1d), func(f *file, at uint64) { f.flip(at, 54) })},
	{name: "another comparison", plant: onWord(isOp(0x20c, 0x80c, 0x20b, 0x80b), func(f *file, at uint64) { f.flip(at, 77) })},
	{name: "another result predicate", plant: onWord(isOp(0x20c, 0x80c, 0x20b, 0x80b), func(f *file, at uint64) { f.flip(at, 81) })},
	{name: "return through another register", plant: onWord(isOp(0x950), func(f *file, at uint64) { f.flip(at, 25) })},
}

// conditional is a branch that is taken or not, or one that jumps back.
func conditional(f *file, at uint64) bool {
	return f.op(at) == opBra && (f.low(at)>>12%8 != 7) && f.low(at)>>32%4 == 0
}

// moveBranch changes how far a branch goes, in units of four bytes.
func (f *file) moveBranch(at uint64, by int64) {
	low, high := f.low(at), f.high(at)
	n := low>>16%256 | (low>>34|high%(1<<18)<<30)<<8
	n = uint64(int64(n) + by)
	f.field(at, 16, 8, n)
	f.field(at, 34, 30, n>>8)
	f.field(at, 64, 18, n>>38)
}
