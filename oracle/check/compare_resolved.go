package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// What --preserve-relocs writes down: for each section the records that were
// carried out, as RELA whatever they came as, with the addend that counted.
// Image slots, arrays of unknown length, how many constants there are, and constants
// that moved into a kernel's bank have no symbol to name and are left out. Static functions of one name share one
// section, as nvlink looks for it by name.
//
// Source: links with --preserve-relocs by nvlink 11.8.89, 12.4.131, 13.0.88.

const resolvedPrefix = ".nv.resolvedrela"

func (c *check) compareResolved() error {
	if !c.options.PreserveRelocs || c.relocatable {
		return nil
	}
	want, got := map[string][]kept{}, map[string][]kept{}
	var names []string
	for _, a := range c.areas {
		stripped := a.out == nil && isDebug(a.name) // with all that was written down of it
		if a.present() && len(a.resolved) > 0 && !stripped {
			if want[a.name] == nil {
				names = append(names, a.name)
			}
			for _, k := range a.resolved {
				k.offset = c.movedTo(a, k.offset)
				want[a.name] = append(want[a.name], k)
			}
		}
	}
	for _, l := range c.out.lists {
		name, resolved := strings.CutPrefix(l.section.name, resolvedPrefix)
		if !resolved {
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		for _, r := range l.list {
			got[name] = append(got[name], kept{offset: r.offset, kind: r.kind, addend: r.addend, rela: true, ref: c.outRef(r.symbol)})
		}
		if err := c.budget.spend("output", uint64(len(l.list))); err != nil {
			return err
		}
	}
	early := carriedOutEarly(want, got)
	for _, name := range names {
		if early {
			for i := range want[name] {
				k := &want[name][i]
				k.optional = k.optional || isDebug(name) || k.ref.id != nil && k.ref.id.at != nil && strings.HasPrefix(k.ref.id.at.name, ".nv.constant")
			}
		}
		c.compareResolvedOf(name, want[name], got[name])
	}
	return nil
}

// carriedOutEarly reports whether nothing is written down for call frames: so it is where -r carried
// their records out, those of debug information, and some of constants. The second link doesn't know them.
// A file where nothing is written down at all is none of these.
//
// Source: two steps of two objects for sm_75 and sm_90 with call frames, by nvlink 13.2 to 13.5,
// --preserve-relocs in each.
func carriedOutEarly(want, got map[string][]kept) bool {
	return len(want[".debug_frame"]) > 0 && len(got[".debug_frame"]) == 0 && len(got) > 0
}

// compareResolvedOf compares two lists whose order doesn't matter.
func (c *check) compareResolvedOf(name string, want, got []kept) {
	left := map[resolved]int{}
	for _, k := range want {
		left[k.bare()]++
	}
	tell := func(kind Kind, k kept) {
		f := c.recordFinding(kind, &area{name: resolvedPrefix + name}, k)
		f.Want = fmt.Sprintf("%s%+d", k.ref, k.addend)
		c.verdict.add(f)
	}
	for _, k := range got {
		if left[k.bare()] == 0 && (k.ref.id == nil || !k.ref.id.externShared()) {
			tell(ResolvedStray, k)
		}
		left[k.bare()]--
	}
	for _, k := range want {
		if left[k.bare()] > 0 {
			left[k.bare()]--
			if !k.optional {
				tell(ResolvedMissing, k)
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

func (k kept) bare() resolved { return resolved{k.offset, k.kind, k.ref.String(), k.addend} }

// writeDown writes a record down that was carried out.
func (c *check) writeDown(m *module, a *area, r record, d decision, out oracle.Outcome) {
	k := kept{offset: r.offset, kind: r.kind, ref: c.refOf(m, r.symbol), addend: r.addend, rela: true, mod: m, optional: d.optional}
	if !r.rela {
		k.addend = int64(out.Implicit)
	}
	id := k.ref.id
	if id != nil && (id.image() && oracle.TakesBindlessSlot(r.kind) || id.externShared() || id.constantSize() || id.at != nil && id.at.moved) {
		return
	}
	if c.out.side != whole && (k.ref.id == nil || k.ref.id.space() != cuda.STOShared) {
		return
	}
	if c.out.side != whole && isDebug(a.name) {
		k.optional = true // 13.0 and 13.5 write down there what is in code
	}
	if k.ref.area != nil {
		if p := m.places[m.symbols[r.symbol].shndx].part; p != nil {
			k.addend += int64(p.base)
			if isDebug(a.name) {
				k.addend += int64(d.in.S - p.base) // see sameInDebug
			}
		}
	}
	a.resolved = append(a.resolved, k)
}
