package check

// YIELD.
//
// Records of two types turn a YIELD into a NOP. Where threads always go on (from
// sm_70 on) nvlink drops them and YIELD stays; it decides for the whole link by
// the virtual architectures of the inputs, and by function where they differ.
// A YIELD is a hint: a program runs right with it and with NOP in its place, so
// what the output has at such a place counts, if it is one of the two.

// keepsYield reports whether the output has left YIELD as it is in some code.
func (c *check) keepsYield(a *area) bool {
	if a.out == nil || !a.code() {
		return c.sm >= forwardProgress
	}
	return a.yields == yieldStays
}

type yieldChoice uint8

const (
	yieldUnknown yieldChoice = iota
	yieldStays
	yieldCleared
)

// findYields sees what the output did with the records of one code: all of them
// left or all carried out, judged by the first place.
func (c *check) findYields(a *area) {
	a.yields = yieldCleared
	if c.sm >= forwardProgress {
		a.yields = yieldStays
	}
	for _, l := range a.owner.relocLists() {
		for _, r := range l.list {
			if !isYield(r.kind) {
				continue
			}
			at := c.movedTo(a, r.offset)
			before, ok := cut(a.owner.section.body, r.offset-r.offset%instruction, instruction)
			after, okToo := cut(a.out.body, at-at%instruction, instruction)
			if !ok || !okToo {
				continue
			}
			a.yields = yieldCleared
			if opcode(before) == opcode(after) {
				a.yields = yieldStays
			}
			return
		}
	}
}
