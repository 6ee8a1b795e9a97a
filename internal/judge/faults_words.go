package main

// Faults of a scheduler or a rewriter of code that moves words and forgets what depends on it.

const opDepbar = 0x91a

// inside plants a fault into the words of one function, from one of them to the NOPs at the end.
func inside(change func(f *file, at, end uint64) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size >= 256 })
		if h == nil || !f.wide() {
			return ""
		}
		end := h.off + h.size
		for end > h.off && f.op(end-16) == opNop {
			end -= 16
		}
		if end < h.off+64 {
			return ""
		}
		at := h.off + 16*uint64(f.r.Below(int((end-h.off)/16-2)))
		if !change(f, at, end) {
			return ""
		}
		return h.name
	}
}

const nopLow, nopHigh = 0x7918, 0x000fc00000000000

func (f *file) nop(at uint64) {
	f.put(at, 8, nopLow)
	f.put(at+8, 8, nopHigh)
}

// jumps reports whether a word is a branch with a distance.
func (f *file) jumps(at uint64) bool { return f.op(at) == opBra || f.op(at) == opBssy }

// straight reports whether no word between two places knows a distance.
func (f *file) straight(from, to uint64) bool {
	for at := from; at < to; at += 16 {
		if f.jumps(at) {
			return false
		}
	}
	return true
}

var wordFaults = []fault{
	{name: "a word left out, the others moved up", plant: inside(func(f *file, at, end uint64) bool {
		if !computes(f, at) {
			return false
		}
		copy(f.bytes[at:], f.bytes[at+16:end])
		f.nop(end - 16)
		return true
	})},
	{name: "a NOP put in, branches as they were", plant: inside(func(f *file, at, end uint64) bool {
		if f.straight(at, end) || f.op(end) != opNop {
			return false
		}
		copy(f.bytes[at+16:end+16], append([]byte(nil), f.bytes[at:end]...))
		f.nop(at)
		return true
	})},
	{name: "a word twice", plant: inside(func(f *file, at, end uint64) bool {
		if !computes(f, at) || f.op(end) != opNop || f.low(at)>>16%256 != f.low(at)>>24%256 {
			return false // it has to add to itself
		}
		copy(f.bytes[at+16:end+16], append([]byte(nil), f.bytes[at:end]...))
		return true
	})},
	{name: "a load moved behind a store", plant: inside(func(f *file, at, end uint64) bool {
		load := func(op uint64) bool { return op == 0x981 || op == 0x984 || op == 0x980 }
		store := func(op uint64) bool { return op == 0x986 || op == 0x388 || op == 0x985 || op == 0x988 || op == 0x387 }
		if !load(f.op(at)) || !store(f.op(at+16)) {
			return false
		}
		x := string(f.bytes[at : at+16])
		copy(f.bytes[at:], f.bytes[at+16:at+32])
		copy(f.bytes[at+16:], x)
		return true
	})},
	{name: "a fence or barrier left out", plant: onWord(isOp(0x992, 0x9ab, 0xb1d, 0x98f, 0x9c6, 0x3c6), func(f *file, at uint64) { f.nop(at) })},
	{name: "a wait of DEPBAR less strict", plant: onWord(isOp(opDepbar), func(f *file, at uint64) { f.field(at, 38, 6, f.low(at)>>38%64+1) })},
	{name: "a predicate's guard forgotten", plant: onWord(func(f *file, at uint64) bool { return f.low(at)>>12%8 != 7 }, func(f *file, at uint64) { f.field(at, 12, 4, 7) })},
	{name: "a result kept in the zero register", plant: onWord(computes, func(f *file, at uint64) { f.field(at, 16, 8, 255) })},
	{name: "a uniform register for another", plant: onWord(func(f *file, at uint64) bool { return f.op(at)%512 == 0x090 || f.op(at) == 0x882 || f.op(at) == 0x291 }, func(f *file, at uint64) { f.flip(at, 16) })},
	{name: "descriptor of another register", plant: onWord(isOp(0x981, 0x986), func(f *file, at uint64) { f.flip(at, 33) })},
	{name: "all stalls one less", plant: onCode(func(f *file, at uint64) { f.field(at, 105, 4, max(f.stall(at), 2)-1) })},
	{name: "yield everywhere", plant: onCode(func(f *file, at uint64) { f.flip(at, 109) })},
	{name: "reuse of an operand that changes", plant: onWord(func(f *file, at uint64) bool {
		return computes(f, at) && f.op(at)%256 != 2 && f.low(at)>>16%256 == f.low(at)>>24%256 && f.high(at)>>58%2 == 0
	}, func(f *file, at uint64) { f.field(at, 122, 1, 1) })},
	{name: "waits of two words exchanged", plant: scheduled(func(f *file, at uint64) bool { return f.waits(at) != f.waits(at+16) && f.op(at+16) != opNop }, func(f *file, at uint64) {
		x, y := f.waits(at), f.waits(at+16)
		f.field(at, 116, 6, y)
		f.field(at+16, 116, 6, x)
	})},
	{name: "scoreboards of two words exchanged", plant: scheduled(func(f *file, at uint64) bool {
		return f.writeBoard(at) != f.writeBoard(at+16) && f.op(at+16) != opNop
	}, func(f *file, at uint64) {
		x, y := f.writeBoard(at), f.writeBoard(at+16)
		f.field(at, 110, 3, y)
		f.field(at+16, 110, 3, x)
	})},
	{name: "a wait of a word a word later", plant: scheduled(func(f *file, at uint64) bool { return f.waits(at) != 0 && f.op(at+16) != opNop }, func(f *file, at uint64) {
		f.field(at+16, 116, 6, f.waits(at+16)|f.waits(at))
		f.field(at, 116, 6, 0)
	})},
	{name: "a stall moved to the word before", plant: scheduled(func(f *file, at uint64) bool { return f.stall(at) >= 4 && f.stall(at-16) < 12 }, func(f *file, at uint64) {
		f.field(at-16, 105, 4, f.stall(at-16)+f.stall(at)-1)
		f.field(at, 105, 4, 1)
	})},
}
