package resched

import "slices"

// isForeseen reports whether no function like this one was seen to come out otherwise: without loops,
// calls, branches by registers, new fences, doubles, textures and work in common, whose scoreboards were never too few and whose words
// are what they were.
//
// Source: 1,130 such functions of ptxas 13.0.88 for sm_100 and sm_120 through nvlink 13.1.115 and
// 13.5.37, of which half were held back. All are nvlink's.
func (a *allocator) isForeseen(r *Result, how *Options) bool {
	if how.Fence || a.doubts&(overflow|overflowSources|overflowResults) != 0 || len(r.Added)+len(r.Dropped)+len(how.Fillers) > 0 {
		return false
	}
	for b := range a.blocks {
		if a.seen[b] && a.isHeader(b) {
			return false
		}
	}
	return !slices.ContainsFunc(a.words, func(w word) bool {
		return w.isCall() || w.isPaced() || w.isTexture() || w.isCollective() || w.isIndexed()
	})
}
