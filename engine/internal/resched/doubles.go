package resched

// Releases from 13.3 on give every instruction of doubles, and product of matrices of integers, a scoreboard in code for
// sm_100 that they make anew: there these had a fixed latency before. Their sources
// hold one too where something overwrites them before the same block reads the result;
// of what goes beyond the block, where anything that follows overwrites them.
//
// Source: 7,754 such instructions of HeCBench by ptxas 13.0.88 through nvlink 13.5.37, of
// which 7,741 hold their sources as said here.

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
	var list []int // words
	index := make(map[int]int)
	for i := range f.words {
		if f.words[i].inUnit() {
			index[i] = len(list)
			list = append(list, i)
		}
	}
	held := make([]bool, len(f.words))
	f.spread(len(list), func(set bitset, i int) {
		o := &f.ops[i]
		leaves := f.words[i].isCall() || f.words[i].op() == opRET
		set.each(func(k int) {
			at := list[k]
			own, inBlock := &f.ops[at], f.of[at] == f.of[i] && at < i
			sources := lateReads(own)
			if !inBlock && len(sources) > 0 {
				sources = vectorReads(own)
			}
			switch {
			case f.excludes(at, i):
			case inBlock && overlap(own.writes, o.reads):
				set.drop(k)
			case leaves && len(sources) > 0, overlap(sources, o.writes):
				held[at] = true
				set.drop(k)
			}
		})
		if k, ok := index[i]; ok {
			set.set(k)
		}
	})
	return held
}

// vectorReads leaves out what an instruction reads at once.
func vectorReads(o *operands) (list []span) {
	for _, r := range o.reads {
		if r.first < uniformFile {
			list = append(list, r)
		}
	}
	return list
}
