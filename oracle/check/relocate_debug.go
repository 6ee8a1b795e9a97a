package check

import (
	"bytes"

	"github.com/twinlink/twinlink/oracle"
)

// Records of debug information that name what has no one place.

// externInData is the place of an array of unknown length in shared memory, for a field
// outside code. Such an array begins behind the variables of each kernel, so that
// there is a place for each, and the field holds one: that of any code that
// names the array is right. nvlink has none but with -g, and writes all ones, to
// which it adds the reserved kilobyte; nothing that runs reads it.
//
// Source: links of C++ programs compiled with -G, by nvlink 12.4.131, 13.0.88 and 13.5.37.
func (c *check) externInData(a *area, r record, id *identity, in oracle.Inputs) uint64 {
	const none = 1<<64 - 1
	place := id.value
	got, ok := c.numberInDebug(a, r, in)
	if !ok {
		return place
	}
	if got == none {
		c.verdict.remark(Finding{Kind: RelocationField, Section: a.name, Symbol: id.name, Offset: r.offset,
			Detail: "an array of unknown length in shared memory has no place here: a debugger does not find it"})
		return none
	}
	if u := c.uses[id]; u != nil {
		for _, code := range u.functions {
			at, known := c.told[toldKey{id: id, code: code}]
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
func (c *check) unplaced(a *area, r record, in oracle.Inputs, id *identity) uint64 {
	const none = 1<<64 - 1
	if c.relocatable || c.uses[id] != nil && len(c.uses[id].functions) > 0 {
		return id.value
	}
	if got, ok := c.numberInDebug(a, r, in); ok && got == none {
		return none
	}
	return id.value
}

// sameInDebug reports whether a place in debug information has the bytes of another
// input's part that has no records: abbreviations, which files of one program
// have alike.
func (c *check) sameInDebug(p place, at uint64) bool {
	if p.part == nil || p.area == nil || p.area.out == nil || !isDebug(p.area.name) || c.relocatable || len(p.part.mod.relocsOf[p.part.section.index]) > 0 {
		return false
	}
	got, ok := cut(p.area.out.body, at, p.part.section.size)
	return ok && c.budget.spend(p.part.mod.name, p.part.section.size/16) == nil && bytes.Equal(got, p.part.section.body)
}

// judgeLabel decides over a record that names a label which the compiler didn't keep: a
// symbol without section, type or value, so that no number is right. nvlink takes
// symbol 0 for it, in what --preserve-relocs writes down too, and the value that symbol 0
// has at that moment.
//
// Source: locations of variables in C++ programs compiled with -G by nvcc 13.0, in links by
// nvlink 13.0.88 and 13.5.37.
func (c *check) judgeLabel(a *area, r record, in oracle.Inputs) decision {
	if s, ok := c.numberInDebug(a, r, in); ok {
		in.S = s
	}
	return decision{action: oracle.Patches, as: r.kind, in: in, optional: true}
}

// numberInDebug is the number that a field of the output's debug information was given.
func (c *check) numberInDebug(a *area, r record, in oracle.Inputs) (uint64, bool) {
	if !isDebug(a.name) || a.out == nil {
		return 0, false
	}
	before, ok := cut(a.want, r.offset, 8)
	after, okToo := cut(a.out.body, r.offset, 8)
	if !ok || !okToo {
		return 0, false
	}
	return tell(r.kind, before, after, in)
}
