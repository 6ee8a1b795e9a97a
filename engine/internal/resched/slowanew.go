package resched

import "slices"

// Code of an older toolkit for sm_100 that is linked for sm_103. Releases from 13.1 on make it again, and set apart
// what the other units of sm_103 take otherwise, as they do with code of their own toolkit.
//
// Source: functions of HeCBench, SHOC and CUDA samples by ptxas 13.0.88 through nvlink 13.1.115 and 13.5.37.

// slowAnew makes such code, if it can: gone are words that go, front what comes before some.
func (how *Options) slowAnew(words []word, gone []bool, front map[int][]word, stays bool, r Result) (made Result, dead int, ok bool) {
	dead = -1
	if !how.Quick || how.keepsUnit || how.Debug || how.Fence || !how.suits(words) {
		return r, dead, false
	}
	words, gone = slices.Clone(words), slices.Clone(gone)
	if first := slices.IndexFunc(words, word.isMEMBAR); !stays && first >= 0 {
		takeOut(words, first, gone, keptIn(words), &r)
	}
	if isLarge(words) {
		return r, dead, false
	}
	leaf := !stays && stackLoad(words)
	if leaf {
		dead = 0
	}
	out, ok := slowed(words, gone, front, leaf, *how, &r)
	r.Changed, r.Exact, r.slowed, r.Text = true, false, true, join(out)
	return r, dead, ok
}

// suits reports whether code has words that are set apart otherwise on sm_103, and none that isn't understood.
func (how *Options) suits(words []word) bool {
	if !usesUnit(words) && !hasUncovered(words) && !hasQuicker(words) {
		return false
	}
	return !slices.ContainsFunc(words, func(w word) bool { return !w.isUnderstood() && !w.leavesVectors() })
}
