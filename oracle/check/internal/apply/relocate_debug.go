package apply

import (
	"bytes"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Records of debug information that name what has no one place.

// externInData is the place of an array of unknown length in shared memory, for a field
// outside code. Such an array begins after the variables of each kernel, so that
// there is a place for each, and the field holds one: that of any code that
// names the array is right. nvlink has none but with -g, and writes all ones, to
// which it adds the reserved kilobyte; nothing that runs reads it.
//
// Source: links of C++ programs compiled with -G, by nvlink 12.4.131, 13.0.88 and 13.5.37.
func (c *Applied) externInData(a *link.Area, r image.Record, id *link.Identity, in oracle.Inputs) uint64 {
	const none = 1<<64 - 1
	place := id.Value
	got, ok := c.numberInDebug(a, r, in)
	if !ok {
		return place
	}
	if got == none {
		c.Verdict.Remark(verdict.Finding{Kind: verdict.RelocationField, Section: a.Name, Symbol: id.Name, Offset: r.Offset,
			Detail: "an array of unknown length in shared memory has no address here: a debugger does not find it"})
		return none
	}
	if u := c.Uses[id]; u != nil {
		for _, code := range u.Functions {
			at, known := c.Observed[link.ObservedKey{ID: id, Code: code}]
			if known && at == got {
				return at
			}
			if known {
				place = at
			}
		}
	}
	return place
}

// unplaced is the place of a shared variable for a field of debug information: none where
// no code that stays names it, as of a kernel that nobody asked for. nvlink writes
// all ones then.
func (c *Applied) unplaced(a *link.Area, r image.Record, in oracle.Inputs, id *link.Identity) uint64 {
	const none = 1<<64 - 1
	if c.Relocatable || c.Uses[id] != nil && len(c.Uses[id].Functions) > 0 {
		return id.Value
	}
	if got, ok := c.numberInDebug(a, r, in); ok && got == none {
		return none
	}
	return id.Value
}

// SameInDebug reports whether a place in debug information has the bytes of another
// input's part that has no records: abbreviations, which files of one program
// have alike.
func (c *Applied) SameInDebug(p link.Place, at uint64) bool {
	if p.Part == nil || p.Area == nil || p.Area.Out == nil || !verdict.IsDebug(p.Area.Name) || c.Relocatable || len(p.Part.Mod.RelocsOf[p.Part.Section.Index]) > 0 {
		return false
	}
	got, ok := image.Cut(p.Area.Out.Body, at, p.Part.Section.Size)
	return ok && c.Budget.Spend(p.Part.Mod.Name, p.Part.Section.Size/16) == nil && bytes.Equal(got, p.Part.Section.Body)
}

// judgeLabel decides over a record that names a label which the compiler didn't keep: a
// symbol without section, type or value, so that no number is right. nvlink takes
// symbol 0 for it, in what --preserve-relocs writes down too, and the value that symbol 0
// has at that moment.
//
// Source: locations of variables in C++ programs compiled with -G by nvcc 13.0, in links by
// nvlink 13.0.88 and 13.5.37.
func (c *Applied) judgeLabel(a *link.Area, r image.Record, in oracle.Inputs) decision {
	if s, ok := c.numberInDebug(a, r, in); ok {
		in.S = s
	}
	return decision{action: oracle.Patches, as: r.Kind, in: in, optional: true}
}

// numberInDebug is the number that a field of the output's debug information was given.
func (c *Applied) numberInDebug(a *link.Area, r image.Record, in oracle.Inputs) (uint64, bool) {
	if !verdict.IsDebug(a.Name) || a.Out == nil {
		return 0, false
	}
	before, ok := image.Cut(a.Want, r.Offset, 8)
	after, okToo := image.Cut(a.Out.Body, r.Offset, 8)
	if !ok || !okToo {
		return 0, false
	}
	return place.Tell(r.Kind, before, after, in)
}
