package code

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// What the finalizer writes again besides code: offsets of instructions in
// attributes and tables, where words moved, and debug information.

// trustTables takes over from the output the jump tables of code whose words
// moved: a word that told a place tells the new one. The tables of functions are in
// the banks of their kernels.
func (c *check) trustTables(a *link.Area) {
	if a.Owner == nil || a.Code() || a.Out.Body == nil {
		return
	}
	for _, p := range a.Parts {
		code := p.Mod.OwnerOf(p.Section)
		if code == nil || code.Area == nil || code.Area.Words == nil || code.Area.Words.Identity {
			continue
		}
		for at := image.RoundUp(p.Base, 4); at+4 <= min(p.Base+p.Section.Size, uint64(len(a.Want)), uint64(len(a.Out.Body))); at += 4 {
			old, is := uint64(image.Word(a.Want, at)), uint64(image.Word(a.Out.Body, at))
			if old != is && c.MovedTo(code.Area, old) == is {
				part, _ := image.Cut(a.Out.Body, at, 4)
				copy(a.Want[at:], part)
			}
		}
	}
}
