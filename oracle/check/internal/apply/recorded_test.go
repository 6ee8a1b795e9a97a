package apply

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/internal/relayout"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// applied carries the records of one side of a link out.
func applied(t *testing.T, l *oracletest.Link, output []byte, side image.Side, other *Applied) *Applied {
	t.Helper()
	c := New(link.New(1<<20, l.Options))
	c.Side = side
	if other != nil {
		c.Hints, c.Sass = other.Hints, other.Link
	}
	for i, in := range l.Inputs {
		var counterpart *image.Image
		if other != nil {
			counterpart = other.Modules[i].Image
		}
		m, err := link.ReadModule(i, in, side, counterpart, c.Budget)
		if err != nil {
			t.Fatal(err)
		}
		c.Modules = append(c.Modules, m)
	}
	if err := c.ReadOutput(output); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []func() error{c.Resolve, c.ReadCalls, c.Alive, c.FindNeeds, c.FindPlaces, c.Relocate} {
		if err := phase(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// otherLayout is one in which an object of cxx_lineinfo is where a definition that lost would lie.
const otherLayout = 31

// counts are what a test has compared.
type counts struct{ sections, fields, kept, resolved, sure int }

// TestRecorded wants of what the records of the inputs must come to what nvlink made of them: every byte of every section,
// and every record that stays; in the same image written in another layout as well.
func TestRecorded(t *testing.T) {
	var n counts
	for _, l := range oracletest.Links(t) {
		other, err := relayout.File(l.Output, relayout.All, otherLayout)
		if err != nil {
			t.Fatal(err)
		}
		for layout, output := range [][]byte{l.Output, other} {
			var first *Applied
			for _, side := range []image.Side{image.SassSide, image.MercurySide} {
				c := applied(t, &l, output, side, first)
				n.compare(t, c, fmt.Sprintf("%s, layout %d, side %d", l.Name, layout, side))
				if first = c; c.Out.Side != image.SassSide {
					break
				}
			}
		}
	}
	if n.sections < 2000 || n.fields < 1600 || n.kept < 4000 || n.resolved < 80 || n.sure < 1000 {
		t.Errorf("only %+v", n)
	}
}

// compare holds what must be in a link's sections against what is.
func (n *counts) compare(t *testing.T, c *Applied, where string) {
	t.Helper()
	if c.Verdict.Total > 0 {
		t.Errorf("%s: %s", where, c.Verdict.Findings[0])
	}
	for _, a := range c.Areas {
		if a.Out == nil || a.Want == nil || !a.Present() || c.Rewritten(a) || a.Code() && c.Out.Side == image.MercurySide {
			continue
		}
		n.sections++
		n.fields += len(a.Fields)
		if at := differs(a); at >= 0 && a.Base != ".nv_debug_info_reg_type" {
			t.Errorf("%s: %s+0x%x: %x, nvlink has %x", where, a.Name, at, a.Want[at:min(at+8, len(a.Want))], a.Out.Body[at:min(at+8, len(a.Out.Body))])
		}
		if moved(a) {
			continue // so did its records
		}
		if got, want := texts(a, a.Kept), written(c, a); !slices.Equal(got, want) {
			t.Errorf("%s: %s keeps %s, nvlink %s", where, a.Name, lacking(got, want), lacking(want, got))
		}
		if got, want := texts(a, a.Resolved), writtenDown(c, a); c.Options.PreserveRelocs && !slices.Equal(got, want) {
			t.Errorf("%s: %s has carried out %s, nvlink %s", where, a.Name, lacking(got, want), lacking(want, got))
		}
		n.compareSure(t, c, a, where)
		n.kept += len(a.Kept)
		n.resolved += len(a.Resolved)
	}
}

// compareSure wants a final image's code to have no field that may hold anything, and no record that may be missing, but for
// those of functions with several definitions.
func (n *counts) compareSure(t *testing.T, c *Applied, a *link.Area, where string) {
	t.Helper()
	if !a.Code() || c.Relocatable || c.Out.Side != image.Whole || slices.ContainsFunc(c.IDs, func(id *link.Identity) bool { return id.Several || id.Duplicate }) {
		return
	}
	for i := range a.Fields {
		if f := &a.Fields[i]; a.IsFree(f.Offset) {
			t.Errorf("%s: %s+0x%x may hold anything", where, a.Name, f.Offset)
		}
		n.sure++
	}
	for _, k := range a.Kept {
		if k.Optional || k.Dead || k.Lost {
			t.Errorf("%s: the record at %s+0x%x may be missing", where, a.Name, k.Offset)
		}
		n.sure++
	}
}

// moved reports whether an area is code whose words aren't where they were.
func moved(a *link.Area) bool { return a.Words != nil && !a.Words.Identity }

// differs is the first byte of an area that isn't the output's, of code but for its schedule; -1: none.
func differs(a *link.Area) int {
	if moved(a) {
		return -1
	}
	want, got := bytes.Clone(a.Want), bytes.Clone(a.Out.Body)
	if len(want) != len(got) {
		return min(len(want), len(got))
	}
	for at := range want {
		if a.IsFree(uint64(at)) || a.Owner == nil && !a.Explains(uint64(at)) {
			got[at] = want[at]
		}
	}
	for at := 0; a.Code() && at+sass.Instruction <= len(want) && a.Owner.Mod.Side != image.Whole; at += sass.Instruction {
		for _, word := range [...][]byte{want[at : at+sass.Instruction], got[at : at+sass.Instruction]} {
			sass.Blank(word, sass.ControlFirst, sass.ControlLast)
		}
	}
	for at := range want {
		if want[at] != got[at] {
			return at
		}
	}
	return -1
}

// texts are records that must be there; not in bytes that no part has, of a definition that lost.
func texts(a *link.Area, records []link.Kept) (list []string) {
	for _, k := range records {
		if !k.Optional && !k.Dead && !k.Lost && (a.Owner != nil || a.Explains(k.Offset)) {
			list = append(list, fmt.Sprintf("%x/%d/%s", k.Offset, k.Kind, k.Ref))
		}
	}
	slices.Sort(list)
	return list
}

// writtenDown are the output's records of what was applied in an area.
func writtenDown(c *Applied, a *link.Area) (list []string) {
	for _, l := range c.Out.Lists {
		if l.Section.Kind == cuda.SHTCudaResolvedRela && c.Out.Sections[l.Target].Index == a.Out.Index {
			for _, r := range l.List {
				list = append(list, fmt.Sprintf("%x/%d/%s", r.Offset, r.Kind, c.OutRef(r.Symbol)))
			}
		}
	}
	slices.Sort(list)
	return list
}

// written are those of the output that an area's list asks for.
func written(c *Applied, a *link.Area) (list []string) {
	index := slices.IndexFunc(c.Out.Sections, func(s image.Section) bool { return s.Index == a.Out.Index })
	for _, i := range c.Out.ListsOf[index] {
		for _, r := range c.Out.Lists[i].List {
			ref := c.OutRef(r.Symbol)
			text := fmt.Sprintf("%x/%d/%s", r.Offset, r.Kind, ref)
			if slices.ContainsFunc(a.Kept, func(k link.Kept) bool {
				return k.Offset == r.Offset && k.Kind == r.Kind && (k.Optional || k.Dead || k.Lost)
			}) {
				continue
			}
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

func lacking(of, list []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(of), func(s string) bool { return slices.Contains(list, s) }), " ")
}
