package resched

import "slices"

// isForeseen reports whether no function like this one was seen to come out otherwise: whose scoreboards
// were never too few, so that none was shared for want of another; whose words are what they were; with no
// loop around which anything is pending, and nothing before one that is complete by a close call;
// without branches by registers, pauses beside products of matrices, textures, surfaces, and barriers in shared memory.
//
// Source: of functions with loops, doubles or new fences by ptxas 13.0 to 13.4 for sm_100 to sm_121, through
// nvlink 13.1 to 13.5, 1,453 of generated programs and 123 of real ones. All are nvlink's. Of 75 more with
// textures two weren't.
func (a *allocator) isForeseen(r *Result, how *Options) bool {
	switch {
	case r.unpaced, r.paused, len(r.Added)+len(r.Dropped)+len(how.Fillers) > 0:
		return false
	case a.doubts&(overflow|overflowSources|overflowResults|nearLoop) != 0:
		return false
	case how.Adds && a.takeTurns(), how.Quick && (hasQuicker(a.words) || hasUncovered(a.words) || hasHalves(a.words)):
		return false
	}
	return !a.goesAround() && !a.partsBehindDoubles() && !slices.ContainsFunc(a.words, func(w word) bool { return w.isSeldom() || how.HoldsDoubles && w.isIMMA() })
}

// partsBehindDoubles reports whether lanes part right after a double that holds a scoreboard, or act together in the
// block of one that got it: what stalls there, and for how long, isn't known.
func (a *allocator) partsBehindDoubles() bool {
	for b := range a.blocks {
		bl, held := &a.blocks[b], false
		last := bl.to - 1
		for i := bl.from; i < bl.to; i++ {
			held = held || a.words[i].inUnit() && a.isFresh(i)
		}
		if held && a.words[last].isCollective() {
			return true
		}
		if before := last - 1; before >= bl.from && a.words[last].isDivergent() && a.words[before].isDouble() && a.words[before].wr() != noBoard {
			return true
		}
	}
	return false
}

// goesAround reports whether anything is pending where control comes back to a block: waits of loops depend
// on it.
func (a *allocator) goesAround() bool {
	around := false
	for b := range a.blocks {
		for _, p := range a.before[b] {
			if !a.seen[p] || a.rank[p] < a.rank[b] {
				continue
			}
			a.edges.end[p].each(func(t int) { around = around || !a.tokens[t].dead })
		}
	}
	return around
}

// isSeldom reports whether a word is of a kind of which code was seen to come out otherwise, or too little
// was seen.
func (w word) isSeldom() bool {
	return w.isTexture() || w.op() == opSULD || w.writesSurface() || w.isIndexed() || w.isSYNCS() || w.op() == opUBLKCP
}
