package place

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// findYields sees what the output did with the records of one code: all of them
// left or all applied, judged by the first place.
func (c *Places) findYields(a *link.Area) {
	a.Yields = link.YieldCleared
	if c.SM >= link.ForwardProgress {
		a.Yields = link.YieldStays
	}
	for _, l := range a.Owner.RelocLists() {
		for _, r := range l.List {
			if !image.IsYield(r.Kind) {
				continue
			}
			at := c.MovedTo(a, r.Offset)
			before, ok := image.Cut(a.Owner.Section.Body, r.Offset-r.Offset%sass.Instruction, sass.Instruction)
			after, okToo := image.Cut(a.Out.Body, at-at%sass.Instruction, sass.Instruction)
			if !ok || !okToo {
				continue
			}
			a.Yields = link.YieldCleared
			if sass.Opcode(before) == sass.Opcode(after) {
				a.Yields = link.YieldStays
			}
			return
		}
	}
}
