package resched

// allRegisters is how many registers the files have together.
const allRegisters = uniformPred + 8

// findLive finds by block which registers are read after its end. A call or a return
// may read any.
func (f *flow) findLive() {
	before := make([][]int, len(f.blocks))
	for b := range f.blocks {
		for _, s := range f.blocks[b].next {
			before[s] = append(before[s], b)
		}
	}
	f.live = make([]bitset, len(f.blocks))
	work := make([]int, len(f.blocks))
	for b := range f.blocks {
		f.live[b] = newBitset(allRegisters)
		work[b] = b
		if last := &f.words[f.blocks[b].to-1]; len(f.blocks[b].next) == 0 && last.op() != opEXIT {
			f.live[b].setAll()
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		entry := f.liveAtEntry(b)
		for _, p := range before[b] {
			if f.live[p].join(entry) {
				work = append(work, p)
			}
		}
	}
}

// liveAtEntry returns the registers that are read from the start of a block on.
func (f *flow) liveAtEntry(b int) bitset {
	const always = 7
	set := f.live[b].clone()
	for i := f.blocks[b].to - 1; i >= f.blocks[b].from; i-- {
		w, o := &f.words[i], &f.ops[i]
		if w.isCall() || w.op() == opRET {
			set.setAll()
		}
		if w.guard() == always {
			for _, r := range o.writes {
				for k := range r.count {
					set.drop(r.first + k)
				}
			}
		}
		for _, r := range o.reads {
			for k := range r.count {
				set.set(r.first + k)
			}
		}
	}
	return set
}

// livesOn reports whether any of these registers are read after the end of a block.
func (f *flow) livesOn(bl *block, list []span) bool {
	live := f.live[f.of[bl.from]]
	for _, r := range list {
		for k := range r.count {
			if live.has(r.first + k) {
				return true
			}
		}
	}
	return false
}

func (b bitset) setAll() {
	for i := range b {
		b[i] = ^uint64(0)
	}
}
