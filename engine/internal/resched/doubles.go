package resched

// Releases from 13.3 on give every instruction of doubles, and product of matrices of integers, a scoreboard in code for
// sm_100 that they make again: there these had a fixed latency before. Their sources
// hold one too where something overwrites them before the same block reads the result, or nothing
// in the block reads it.
//
// Source: 17,347 such instructions of real programs by ptxas 13.0.88 through nvlink 13.5.37, of
// which 17,345 hold their sources as said here.

// freshDoubles finds the doubles without scoreboards and which they get.
func (f *flow) freshDoubles() map[int]*fresh {
	var held []bool
	more := make(map[int]*fresh)
	for i := range f.words {
		if w := &f.words[i]; w.inUnit() && w.wr() == noBoard && w.rd() == noBoard {
			if held == nil {
				held = f.heldSources()
			}
			more[i] = &fresh{wr: len(f.ops[i].writes) > 0, rd: held[i]}
		}
	}
	return more
}

// heldSources finds the doubles that hold their sources.
func (f *flow) heldSources() []bool {
	held := make([]bool, len(f.words))
	for b := range f.blocks {
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			held[i] = f.words[i].inUnit() && f.holdsSources(i, f.blocks[b].to)
		}
	}
	return held
}

// holdsSources reports whether a double of a block that ends before word end holds its sources.
func (f *flow) holdsSources(at, end int) bool {
	own := &f.ops[at]
	sources := lateReads(own)
	if len(sources) == 0 {
		return false
	}
	for i := at + 1; i < end; i++ {
		switch o := &f.ops[i]; {
		case f.excludes(at, i):
		case overlap(own.writes, o.reads):
			return false
		case overlap(sources, o.writes):
			return true
		}
	}
	return true
}

// vectorReads omits what an instruction reads at once.
func vectorReads(o *operands) (list []span) {
	for _, r := range o.reads {
		if r.first < uniformFile {
			list = append(list, r)
		}
	}
	return list
}
