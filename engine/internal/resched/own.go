package resched

import "slices"

// What the rules of anew.go make of kernels of the release's own toolkit. Where they give the
// input's scoreboards and waits back, with the stack pointer's still held, the kernel's blocks
// and units hold nothing that they don't know, and without it they mostly give nvlink's. Where
// the rules of late.go say the same, that is certain.
//
// Source: 350 kernels by ptxas 13.5.37 for sm_100 and sm_120 through nvlink 13.5.37: 201 are given
// back; of the 173 where both say the same all are nvlink's, of the other 28 by these rules 18, by
// those of late.go none. A kernel with a loop was seen to wait in front of it all the same.

// ownChoices returns a kernel without the scoreboard of the stack pointer, and whether the rules
// give its own scoreboards back.
func ownChoices(words []word) ([]word, bool) {
	again := slices.Clone(words)
	a := &allocator{flow: trace(again), anew: true}
	if len(a.first[0]) == 0 || !a.reallocate(-1) || !slices.Equal(again, words) {
		return nil, false
	}
	made := slices.Clone(words)
	a = &allocator{flow: trace(made), anew: true}
	if !a.reallocate(a.first[0][0]) || lost(words, made, nil, nil, 0) != nil {
		return nil, false
	}
	return made, true
}

// hasLoop reports whether any branch goes back.
func (f *flow) hasLoop() bool {
	for b := range f.blocks {
		for _, s := range f.blocks[b].next {
			if f.seen[b] && f.rank[s] <= f.rank[b] {
				return true
			}
		}
	}
	return false
}
