package resched

import "maps"

// Code from the toolkit of an older finalizer that keeps its schedule: what is not
// optimized, or branches by registers of which no attribute tells.

// keepOld makes the changes that such code sees whatever its schedule is. It returns
// what goes before words.
func (how *Options) keepOld(words []word, r *Result) map[int][]word {
	if how.keeps && how.Adds {
		r.Added = asSums(words)
	}
	if how.keeps && isUnoptimized(words) {
		stallAsAll(words)
	}
	if !how.keeps || !how.Pads {
		return nil
	}
	dropAddressReuse(words)
	return pads(words, r)
}

// stallAsAll gives MEMBARs of the block, in code that isn't optimized, the schedule of all others
// there. Source: two functions by ptxas 13.0.88 through nvlink 13.1.115 and 13.2.
func stallAsAll(words []word) {
	const both, ofSources = 3, 1
	for i := range words {
		if w := &words[i]; w.isMEMBAR() && w.hi&0xffff == membarCTA && w.rd() == noBoard {
			w.setWait(both)
			w.setRd(ofSources)
			w.setStall(maxStall)
			w.setYield(false)
		}
	}
}

// with joins what goes before words.
func with(a, b map[int][]word) map[int][]word {
	if len(b) == 0 {
		return a
	}
	both := maps.Clone(b)
	maps.Copy(both, a)
	return both
}

// bare takes all scheduling from code: from 13.3 on nvlink leaves none to what an older
// toolkit didn't optimize, and nothing waits.
func (r Result) bare(words []word) Result {
	const schedule = 1<<63 - 1<<stallShift | 1<<63
	for i := range words {
		w := &words[i]
		if w.isDummyLoad() {
			continue // keeps it
		}
		w.hi &^= schedule
		w.setRd(noBoard)
		w.setWr(noBoard)
	}
	r.Bare, r.Changed, r.Text = true, true, join(words)
	return r
}
