package records

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What --preserve-relocs writes down: for each section the records that were
// applied, as RELA whatever they came as, with the addend that counted.
// Image slots, arrays of unknown length, how many constants there are, and constants
// that moved into a kernel's bank have no symbol to name and are omitted. Static functions of one name share one
// section, as nvlink looks for it by name.
//
// Source: links with --preserve-relocs by nvlink 11.8.89, 12.4.131, 13.0.88.

const resolvedPrefix = ".nv.resolvedrela"

// twoSteps is the first release that can link what its own -r made.
const twoSteps = 130

func (c *check) compareResolved() error {
	if !c.Options.PreserveRelocs || c.Relocatable {
		return nil
	}
	want, got := map[string][]link.Kept{}, map[string][]link.Kept{}
	var names []string
	for _, a := range c.Areas {
		stripped := a.Out == nil && verdict.IsDebug(a.Name) // with all that was written down of it
		if a.Present() && len(a.Resolved) > 0 && !stripped {
			if want[a.Name] == nil {
				names = append(names, a.Name)
			}
			for _, k := range a.Resolved {
				k.Offset = c.MovedTo(a, k.Offset)
				want[a.Name] = append(want[a.Name], k)
			}
		}
	}
	for _, l := range c.Out.Lists {
		name, resolved := strings.CutPrefix(l.Section.Name, resolvedPrefix)
		if !resolved {
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		for _, r := range l.List {
			got[name] = append(got[name], link.Kept{Offset: r.Offset, Kind: r.Kind, Addend: r.Addend, Rela: true, Ref: c.OutRef(r.Symbol)})
		}
		if err := c.Budget.Spend("output", uint64(len(l.List))); err != nil {
			return err
		}
	}
	var early map[*link.Module]bool
	if c.Release >= twoSteps {
		early = carriedOutEarly(want, got)
	}
	for _, name := range names {
		for i := range want[name] {
			k := &want[name][i]
			k.Optional = k.Optional || early[k.Mod] && (verdict.IsDebug(name) || image.IsYield(k.Kind) || k.Ref.ID != nil && k.Ref.ID.At != nil && strings.HasPrefix(k.Ref.ID.At.Name, ".nv.constant"))
		}
		c.compareResolvedOf(name, want[name], got[name])
	}
	return nil
}

// carriedOutEarly are the objects of which nothing is written down for call frames: so it is where -r carried
// their records out, those of debug information, of YIELD, and some of constants. The second link doesn't know them, but those of
// objects that it got itself. A file where nothing is written down at all is none of these.
//
// Source: two steps of two to four objects for sm_75 to sm_90 with call frames, by nvlink 13.1 to 13.5,
// --preserve-relocs in each.
func carriedOutEarly(want, got map[string][]link.Kept) map[*link.Module]bool {
	there := map[resolved]bool{}
	for _, k := range got[".debug_frame"] {
		there[bareOf(k)] = true
	}
	early := map[*link.Module]bool{}
	for _, k := range want[".debug_frame"] {
		early[k.Mod] = len(got) > 0
	}
	for _, k := range want[".debug_frame"] {
		if there[bareOf(k)] {
			early[k.Mod] = false
		}
	}
	return early
}

// compareResolvedOf compares two lists whose order doesn't matter.
func (c *check) compareResolvedOf(name string, want, got []link.Kept) {
	left := map[resolved]int{}
	for _, k := range want {
		left[bareOf(k)]++
	}
	tell := func(kind verdict.Kind, k link.Kept) {
		f := c.recordFinding(kind, &link.Area{Name: resolvedPrefix + name}, k)
		f.Want = fmt.Sprintf("%s%+d", k.Ref, k.Addend)
		c.Verdict.Add(f)
	}
	for _, k := range got {
		if left[bareOf(k)] == 0 && (k.Ref.ID == nil || !k.Ref.ID.ExternShared()) {
			tell(verdict.ResolvedStray, k)
		}
		left[bareOf(k)]--
	}
	for _, k := range want {
		if left[bareOf(k)] > 0 {
			left[bareOf(k)]--
			if !k.Optional {
				tell(verdict.ResolvedMissing, k)
			}
		}
	}
}

// resolved is a record by the name of its symbol: which of several local ones
// is meant shows in the output alone.
type resolved struct {
	offset uint64
	kind   uint32
	symbol string
	addend int64
}

func bareOf(k link.Kept) resolved { return resolved{k.Offset, k.Kind, k.Ref.String(), k.Addend} }
