package main

// A scheduler's faults: one field of one word's schedule is another. Not every one of them
// makes a program wrong: what a wait waited for may be there long since.

// readBoard is the scoreboard of a word's operands.
func (f *file) readBoard(at uint64) uint64 { return f.high(at) >> 49 % 8 }

// scheduled plants a fault into the schedule of a word of code that a linker may reschedule.
func scheduled(ok func(f *file, at uint64) bool, change func(f *file, at uint64)) func(*file) string {
	plant := onWord(func(f *file, at uint64) bool { return f.low(at)>>12%16 != 15 && ok(f, at) }, change)
	return func(f *file) string {
		if len(f.symtabs) < 2 {
			return ""
		}
		return plant(f)
	}
}

// another draws a scoreboard that is not the one given.
func (f *file) another(board uint64) uint64 { return (board + 1 + uint64(f.r.Below(5))) % 6 }

// loseWait clears one of the scoreboards that a word waits for.
func (f *file) loseWait(at uint64) {
	var bits []uint64
	for b := range uint64(6) {
		if f.waits(at)>>b&1 != 0 {
			bits = append(bits, b)
		}
	}
	f.field(at, 116, 6, f.waits(at)&^(1<<bits[f.r.Below(len(bits))]))
}

// entered reports whether a word is where a branch goes or the one after a branch: where a path
// begins that others don't go.
func (f *file) entered(at uint64) bool { return f.op(at-16) == opBra || f.op(at-16) == opBssy }

var waitFaults = []fault{
	{name: "one wait of a word lost", plant: scheduled(func(f *file, at uint64) bool { return f.waits(at) != 0 }, (*file).loseWait)},
	{name: "one wait lost behind a branch", plant: scheduled(func(f *file, at uint64) bool { return f.waits(at) != 0 && f.entered(at) }, (*file).loseWait)},
	{name: "a wait for another scoreboard", plant: scheduled(func(f *file, at uint64) bool { return f.waits(at) != 0 && f.waits(at) != 63 }, func(f *file, at uint64) {
		old := f.waits(at)
		f.loseWait(at)
		for b := range uint64(6) {
			if old>>b&1 == 0 {
				f.field(at, 116, 6, f.waits(at)|1<<b)
				return
			}
		}
	})},
	{name: "a result without its scoreboard", plant: scheduled(func(f *file, at uint64) bool { return f.writeBoard(at) < 6 }, func(f *file, at uint64) { f.field(at, 110, 3, 7) })},
	{name: "a result behind another scoreboard", plant: scheduled(func(f *file, at uint64) bool { return f.writeBoard(at) < 6 }, func(f *file, at uint64) { f.field(at, 110, 3, f.another(f.writeBoard(at))) })},
	{name: "operands without their scoreboard", plant: scheduled(func(f *file, at uint64) bool { return f.readBoard(at) < 6 }, func(f *file, at uint64) { f.field(at, 113, 3, 7) })},
	{name: "operands behind another scoreboard", plant: scheduled(func(f *file, at uint64) bool { return f.readBoard(at) < 6 }, func(f *file, at uint64) { f.field(at, 113, 3, f.another(f.readBoard(at))) })},
	{name: "scoreboards of result and operands changed places", plant: scheduled(func(f *file, at uint64) bool {
		return f.writeBoard(at) < 6 && f.readBoard(at) < 6 && f.writeBoard(at) != f.readBoard(at)
	}, func(f *file, at uint64) {
		w, r := f.writeBoard(at), f.readBoard(at)
		f.field(at, 110, 3, r)
		f.field(at, 113, 3, w)
	})},
	{name: "a stall less by one", plant: scheduled(func(f *file, at uint64) bool { return f.stall(at) >= 2 }, func(f *file, at uint64) { f.field(at, 105, 4, f.stall(at)-1) })},
	{name: "a stall of 1", plant: scheduled(func(f *file, at uint64) bool { return f.stall(at) >= 3 }, func(f *file, at uint64) { f.field(at, 105, 4, 1) })},
}
