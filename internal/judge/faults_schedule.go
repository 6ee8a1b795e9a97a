package main

// Scheduling fields of a word, see package check.
func (f *file) stall(at uint64) uint64      { return f.high(at) >> 41 % 16 }
func (f *file) writeBoard(at uint64) uint64 { return f.high(at) >> 46 % 8 }
func (f *file) waits(at uint64) uint64      { return f.high(at) >> 52 % 64 }

// uses reports whether a word reads a general register as one of its first two
// sources; only of words where that is certain.
func (f *file) uses(at, register uint64) bool {
	if op := f.op(at); op%256 == 0x02 && op>>9 == 1 {
		return f.low(at)>>32%256 == register
	} else if computes(f, at) && op%256 != 2 && op%256 != 0x25 {
		return f.low(at)>>24%256 == register
	}
	return false
}

// awaited finds a load whose result a later word in a straight line waits for and
// uses, and returns both; ok is false where there is none.
func (f *file) awaited(h *header) (load, user uint64, ok bool) {
	type pair struct{ load, user uint64 }
	var list []pair
	all := f.entries(h, 16)
	for i, at := range all {
		switch f.op(at) {
		case 0x981, 0x980, 0x983, 0x984, 0xb82, 0x919:
		default:
			continue
		}
		b, d := f.writeBoard(at), f.low(at)>>16%256
		if b == 7 || d == 255 || f.low(at)>>12%16 != 7 {
			continue
		}
		for _, to := range all[i+1 : min(i+64, len(all))] {
			op := f.op(to)
			if op == opLdc && f.op(at) == opLdc {
				break // which may wait for both: they come in their order
			}
			if op == opBra || op == opExit || op == opBssy || op == opBrx || op == 0x950 || op == 0x943 || op == 0x941 || op == 0x547 {
				break
			}
			if f.uses(to, d) {
				list = append(list, pair{at, to})
				break
			}
			if f.low(to)>>16%256 == d || f.writeBoard(to) == b {
				break
			}
		}
	}
	if len(list) == 0 {
		return 0, 0, false
	}
	p := list[f.r.Below(len(list))]
	return p.load, p.user, true
}

// onAwaited plants a fault on a load and the word that uses its result.
func onAwaited(change func(f *file, load, user uint64)) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size >= 64 })
		if h == nil || !f.wide() {
			return ""
		}
		load, user, ok := f.awaited(h)
		if !ok {
			return ""
		}
		change(f, load, user)
		return h.name
	}
}

func onCode(change func(f *file, at uint64)) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size >= 64 })
		if h == nil || !f.wide() {
			return ""
		}
		if _, _, ok := f.awaited(h); !ok {
			return ""
		}
		for _, at := range f.entries(h, 16) {
			change(f, at)
		}
		return h.name
	}
}

var scheduleFaults = []fault{
	{name: "all waits of a function erased", plant: onCode(func(f *file, at uint64) { f.field(at, 116, 6, 0) })},
	{name: "all scoreboards of a function erased", plant: onCode(func(f *file, at uint64) { f.field(at, 110, 6, 63) })},
	{name: "all stalls of a function 1", plant: onCode(func(f *file, at uint64) { f.field(at, 105, 4, 1) })},
	{name: "schedule of a function erased", plant: onCode(func(f *file, at uint64) { f.field(at, 105, 21, 0x7e0) })},
	{name: "wait for a load erased", plant: onAwaited(func(f *file, load, user uint64) {
		b := f.writeBoard(load)
		for at := load + 16; at <= user; at += 16 {
			f.field(at, 116, 6, f.waits(at)&^(1<<b))
		}
	})},
	{name: "load without a scoreboard", plant: onAwaited(func(f *file, load, user uint64) { f.field(load, 110, 3, 7) })},
	{name: "load behind another scoreboard", plant: onAwaited(func(f *file, load, user uint64) {
		b := uint64(0)
		for free := uint64(63); ; b++ {
			for at := load + 16; at <= user; at += 16 {
				free &^= f.waits(at)
			}
			if b > 5 || free>>b&1 != 0 {
				break
			}
		}
		if b <= 5 {
			f.field(load, 110, 3, b)
		}
	})},
	{name: "wait for a load too late", plant: onAwaited(func(f *file, load, user uint64) {
		b := f.writeBoard(load)
		for at := load + 16; at <= user; at += 16 {
			f.field(at, 116, 6, f.waits(at)&^(1<<b))
		}
		f.field(user+16, 116, 6, f.waits(user+16)|1<<b)
	})},
	{name: "a scoreboard that doesn't exist", plant: onAwaited(func(f *file, load, user uint64) { f.field(load, 110, 3, 6) })},
	{name: "stall too short", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.size >= 64 })
		if h == nil || !f.wide() {
			return ""
		}
		var list []uint64
		for _, at := range f.entries(h, 16) {
			d := f.low(at) >> 16 % 256
			if computes(f, at) && at+32 <= h.off+h.size && f.stall(at) >= 4 && f.stall(at) < 12 && f.writeBoard(at) == 7 && f.uses(at+16, d) && f.waits(at+16) == 0 {
				list = append(list, at)
			}
		}
		if len(list) == 0 {
			return ""
		}
		f.field(list[f.r.Below(len(list))], 105, 4, 1)
		return h.name
	}},
}
