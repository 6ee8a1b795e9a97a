package resched

import "slices"

// isForeseen reports whether no function like this one was seen to come out otherwise: without loops,
// branches by registers, doubles, pauses beside products of matrices, textures, surfaces, barriers in shared memory and work in common, whose
// scoreboards were never too few and whose words are what they were.
//
// Source: 1,130 such functions of real programs by ptxas 13.0.88 for sm_100 and sm_120 through nvlink 13.1.115
// and 13.5.37, and 350 with -g; 766 of generated programs by ptxas 13.0 to 13.4 for sm_100 to sm_121 through
// nvlink 13.1 to 13.5, of which 275 call, 259 have new fences. All are nvlink's. Of fresh ones behind that six
// were other, by two causes that were mended: a LEPC begins a block; sources in front of a return share. Two of
// 110 with -g were among them, so that those aren't promised.
func (a *allocator) isForeseen(r *Result, how *Options) bool {
	if a.doubts&(overflow|overflowSources|overflowResults) != 0 || len(r.Added)+len(r.Dropped)+len(how.Fillers) > 0 || r.paused || how.Adds && a.takeTurns() || how.Quick && (hasQuicker(a.words) || hasUncovered(a.words) || hasHalves(a.words)) {
		return false
	}
	for b := range a.blocks {
		if a.seen[b] && a.isHeader(b) {
			return false
		}
	}
	return !slices.ContainsFunc(a.words, func(w word) bool { return w.isSeldom() || how.HoldsDoubles && w.isIMMA() })
}

// isSeldom reports whether a word is of a kind of which code was seen to come out otherwise, or too little
// was seen.
func (w word) isSeldom() bool {
	return w.isPaced() || w.isTexture() || w.op() == opSULD || w.writesSurface() || w.isCollective() || w.isIndexed() || w.isSYNCS() || w.op() == opUBLKCP
}
