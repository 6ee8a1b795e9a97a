package resched

// completeLDC is how many cycles after an LDC its result is complete before a loop,
// by a clock that waits advance; addedByFence is what a new fence adds to them.
const (
	completeLDC  = 47
	addedByFence = 8
)

// afterFences returns the scoreboards that the last word of a block before a loop
// waits for because only the time of a new fence on the way there lets what an LDC of an
// earlier block gives be complete. is are the tokens pending there.
//
// Source: two kernels for sm_120a through nvlink 13.5.37 with -g. They tell no
// more of the bound than that it is in between, so nothing is promised.
func (a *allocator) afterFences(b int, is bitset, mask uint8) (more uint8) {
	if !a.lateWaits || a.fenced == nil || !a.entersLoop(b) {
		return 0
	}
	is.each(func(t int) {
		tok := &a.tokens[t]
		if tok.read || tok.block == b || mask>>tok.now&1 != 0 || a.words[tok.at].kind() != kindLDC || !a.leadsToLoop(b, t) || a.isOverBackEdge(b, t) {
			return
		}
		if cycles := a.elapsed(t, b); cycles >= completeLDC && cycles < completeLDC+addedByFence {
			more |= 1 << tok.now
			a.doubts |= nearFence
			a.complete.set(t)
		}
	})
	return more
}
