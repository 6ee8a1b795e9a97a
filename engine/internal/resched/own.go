package resched

import "slices"

// What the rules of anew.go make of kernels of the release's own toolkit. Where they give the
// input's scoreboards and waits back, with the stack pointer's still held, they give nvlink's
// without it; that is certain where none is shared since none is free. Other kernels are made by
// the rules of late.go.
//
// Source: kernels by ptxas 13.5.37 for sm_100 and sm_120 through nvlink 13.5.37. Of 481 that are
// given back, none shared, all are nvlink's. Of others, from which none of the rules was learned: of
// 158 all but one, whose barrier in shared memory hasDoubtful knows; of 93 with something shared 91.

// ownChoices returns a kernel without the scoreboard of the stack pointer, whether the rules give
// its own scoreboards back, and whether some was shared since none was free.
func ownChoices(words []word, how Options) (made []word, given, crowded bool) {
	again := slices.Clone(words)
	a := &allocator{flow: traceAnew(again, how.Jumps, nil, false, false), rules: how.rulesAnew()}
	a.same = a.noChanges(&how)
	if len(a.first[0]) == 0 || !a.reallocate(-1) || !slices.Equal(again, words) {
		return nil, false, false
	}
	made = slices.Clone(words)
	a = &allocator{flow: traceAnew(made, how.Jumps, nil, false, false), rules: how.rulesAnew()}
	a.same = a.noChanges(&how)
	if !a.reallocate(a.first[0][0]) || lost(words, made, how.Jumps, &Result{}, 0) != nil {
		return nil, false, false
	}
	return made, true, a.doubts&(overflow|overflowSources|overflowResults) != 0
}
