package debug

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Line tables of the SASS side.
//
// The finalizer writes .debug_line and .nv_debug_line_sass again: the units of
// the inputs in their order, each with its header as it was and the sequences
// of the functions that stay. A sequence begins with an extended opcode that
// sets the address, 00 09 02 and eight bytes for which a record stands; what
// follows up to the next one belongs to it.
//
//	unit   length | header ... | sequence | sequence ...
//
// Source: links of -lineinfo and -g objects by nvlink 13.0.88.

// compareLines holds the line tables of the output against those of the inputs.
func (c *check) compareLines() error {
	if c.Out.Side != image.SassSide {
		return nil
	}
	for _, name := range [...]string{".debug_line", ".nv_debug_line_sass"} {
		a := c.ByKey[link.AreaKey{Base: name, Owner: nil}]
		if a == nil || a.Out == nil {
			continue
		}
		if err := c.compareLineTable(a); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) compareLineTable(a *link.Area) error {
	t, err := c.LineTableOf(a)
	if err != nil || !t.Known {
		return err
	}
	if !t.Reads || len(t.Got) != len(t.Want) {
		c.tellLines(a, 0, nil, fmt.Sprintf("%d line units, the inputs have %d", len(t.Got), len(t.Want)))
		return nil
	}
	joined, ok := c.joinedLines(a, t.Want, t.Got, t.Pairs)
	if !ok {
		return nil
	}
	for i, g := range t.Got {
		if t.Pairs[i] >= 0 {
			c.compareLineUnit(a, &t.Want[t.Pairs[i]], g)
		}
	}
	for i := range t.Want {
		if slices.Contains(t.Pairs, i) {
			continue
		}
		for _, s := range t.Want[i].Sequences {
			if mustStay(s) && !takeSequence(&joined, s.ID, func(is apply.LineSequence) bool { return c.sameLines(&t.Want[i], s, is) }) {
				c.tellLines(a, s.At, s.ID, "the function's lines are missing")
			}
		}
	}
	return c.Budget.Spend("output", uint64(len(t.Want)*len(t.Pairs))/16)
}

func (c *check) tellLines(a *link.Area, at uint64, symbol *link.Identity, detail string) {
	c.Verdict.Add(verdict.Finding{Kind: verdict.SectionBytes, Section: a.Name, Symbol: symbol.String(), Offset: at, Detail: detail})
}

// mustStay reports whether lines must be there: those of a function with several definitions may be gone.
func mustStay(s apply.LineSequence) bool { return s.ID.Code == nil || !s.ID.Several }

// joinedLines are the lines of units that are no input's, one after the other: nvlink joins units of equal headers now and
// then. Not ok: a header is no input's.
func (c *check) joinedLines(a *link.Area, want, got []apply.LineUnit, pairs []int) (joined apply.LineUnit, ok bool) {
	headers := map[string]bool{}
	for _, w := range want {
		headers[w.Bare()] = true
	}
	for i, g := range got {
		if pairs[i] >= 0 {
			continue
		}
		if !headers[g.Bare()] {
			c.tellLines(a, g.At, nil, "a line unit whose header is not in any input")
			return joined, false
		}
		c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionBytes, Section: a.Name, Detail: fmt.Sprintf("unit %d is not in any input", i)})
		joined.Sequences = append(joined.Sequences, g.Sequences...)
	}
	return joined, true
}

// compareLineUnit holds the lines of a unit against the input's.
func (c *check) compareLineUnit(a *link.Area, w *apply.LineUnit, g apply.LineUnit) {
	for _, s := range g.Sequences {
		if !takeSequence(w, s.ID, func(of apply.LineSequence) bool { return c.sameLines(w, of, s) }) {
			c.tellLines(a, s.At, s.ID, "lines that are not the input's")
		}
	}
	for _, s := range w.Sequences {
		if mustStay(s) {
			c.tellLines(a, s.At, s.ID, "the function's lines are missing")
		}
	}
}

// takeSequence takes a function's sequence that fits out of a unit.
func takeSequence(u *apply.LineUnit, id *link.Identity, fits func(apply.LineSequence) bool) bool {
	for i, w := range u.Sequences {
		if w.ID == id && fits(w) {
			u.Sequences = append(u.Sequences[:i:i], u.Sequences[i+1:]...)
			return true
		}
	}
	return false
}

// sameLines reports whether a sequence of the output says what the input's does. Of code that
// has two names, or that took the place of another, the finalizer may have written
// other lines.
func (c *check) sameLines(u *apply.LineUnit, want, got apply.LineSequence) bool {
	id := got.ID
	if id.SharesCode() {
		return true
	}
	if !c.WasReworked(id) {
		return want.Text == got.Text
	}
	p, ok := programOf(u)
	return ok && sameRowsOfLines(id.Code.Area, &p, want.Text, got.Text)
}
