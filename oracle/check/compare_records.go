package check

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/twinlink/twinlink/cuda"
)

// Every record that must be kept is there, and no other.

func (c *check) compareRecords() error {
	lists := map[*area][]int{}
	for i, l := range c.out.lists {
		if l.section.kind == cuda.SHTCudaResolvedRela {
			continue
		}
		a := c.out.areas[l.target]
		if a != nil && c.rewritten(a) {
			continue
		}
		if a == nil {
			f := Finding{Kind: SectionStray, Section: l.section.name, Detail: "its target is no section of the link"}
			if c.harmless(&c.out.sections[l.target]) {
				c.verdict.habit(f)
			} else {
				c.verdict.add(f)
			}
			continue
		}
		lists[a] = append(lists[a], i)
		if err := c.budget.spend("output", uint64(len(l.list))); err != nil {
			return err
		}
	}
	var want, got []kept
	for _, a := range c.areas {
		if c.rewritten(a) {
			continue
		}
		want, got = want[:0], got[:0]
		if !(a.owner != nil && !a.owner.live || a.moved || a.out == nil) { // else its absence is told
			want = append(want, a.kept...)
		}
		for i := range want {
			want[i].offset = c.movedTo(a, want[i].offset)
		}
		for _, i := range lists[a] {
			for _, r := range c.out.lists[i].list {
				if t := &c.out.sections[c.out.lists[i].target]; !a.code() && r.offset >= t.size {
					c.verdict.add(Finding{Kind: RelocationStray, Section: t.name, Offset: r.offset, Relocation: relocationName(r.kind), Detail: "behind the end of the section"})
					break
				}
				got = append(got, kept{offset: r.offset, kind: r.kind, addend: r.addend, rela: r.rela, ref: c.outRef(r.symbol), nobody: r.symbol == 0})
			}
		}
		c.verdict.Kept += len(want)
		c.comparePlaces(a, want, got)
	}
	return nil
}

// comparePlaces compares the records of one area, place by place.
func (c *check) comparePlaces(a *area, want, got []kept) {
	byPlace := func(list []kept) func(i, j int) bool {
		return func(i, j int) bool {
			if list[i].offset != list[j].offset {
				return list[i].offset < list[j].offset
			}
			return list[i].kind < list[j].kind
		}
	}
	sort.SliceStable(want, byPlace(want))
	sort.SliceStable(got, byPlace(got))
	for len(want) > 0 || len(got) > 0 {
		switch {
		case len(got) == 0 || len(want) > 0 && want[0].offset < got[0].offset:
			if !want[0].optional && !want[0].dead {
				c.verdict.add(c.recordFinding(RelocationMissing, a, want[0]))
			}
			want = want[1:]
		case len(want) == 0 || got[0].offset < want[0].offset:
			f := c.recordFinding(RelocationStray, a, got[0])
			if c.asksForNop(a, got[0]) {
				got = got[1:]
				continue
			}
			if a.out == nil || a.code() || noBits(a.kind) || a.explains(got[0].offset) {
				c.verdict.add(f)
			} else {
				// Bytes of a definition that lost, which nothing refers to.
				c.verdict.habit(f)
			}
			got = got[1:]
		default:
			w, g := want[0], got[0]
			want, got = want[1:], got[1:]
			f := c.recordFinding(0, a, w)
			switch {
			case w.optional && w.ref != g.ref:
				continue
			case w.kind != g.kind:
				f.Kind, f.Want, f.Got = RelocationType, relocationName(w.kind), relocationName(g.kind)
			case w.ref != g.ref && isDebug(a.name) && sameCode(w.ref.id, g.ref.id):
				continue
			case w.ref != g.ref && w.ref.id.standIn() && g.ref.id.standIn() && w.addend == g.addend:
				continue // one that an earlier relocatable link made, and one of this link
			case w.ref != g.ref:
				f.Kind, f.Want, f.Got = RelocationSymbol, w.ref.String(), g.ref.String()
			case w.optional && w.rela && g.rela && c.out.side == sassSide && isDebug(a.name) && w.ref.id != nil && w.ref.id.function() && g.addend >= 0:
				continue // a place in code that lost, as the code that won has it
			case w.rela && g.rela && w.addend != g.addend && (c.leadsInto(w.ref.id, w.addend, g.addend) || c.namesSameInDebug(w, g)):
				continue
			case w.rela == g.rela && w.addend != g.addend, !w.rela && g.rela && w.implicit != g.addend, w.rela && !g.rela:
				f.Kind, f.Want, f.Got = RelocationAddend, fmt.Sprint(w.addend), fmt.Sprint(g.addend)
			default:
				continue
			}
			c.verdict.add(f)
		}
	}
}

// sameCode reports whether two static functions of one name have the same code, so
// that which is which shows only in debug information.
func sameCode(a, b *identity) bool {
	return a != nil && b != nil && a.local && b.local && a.name == b.name && a.code != nil && b.code != nil && bytes.Equal(a.code.bare(), b.code.bare())
}

// namesSameInDebug reports whether a record of debug information names the start of a part of
// its module, and the output's that of another module's part with the same bytes: a line table
// that has no lines.
func (c *check) namesSameInDebug(want, got kept) bool {
	if want.ref.area == nil || want.mod == nil || want.addend < 0 || got.addend < 0 {
		return false
	}
	for _, p := range want.ref.area.parts {
		if p.mod == want.mod && p.placed && p.base == uint64(want.addend) && c.sameInDebug(place{area: want.ref.area, part: p}, uint64(got.addend)) {
			return true
		}
	}
	return false
}

// bare is the code without what numbers its section: the first word of a capsule.
func (b *body) bare() []byte {
	if code := b.section.body; b.mod.side == mercurySide && len(code) >= 4 {
		return code[4:]
	}
	return b.section.body
}

// leadsInto reports whether an addend that names a word of code names the same word
// where words moved.
func (c *check) leadsInto(id *identity, want, got int64) bool {
	if id == nil || id.code == nil || id.code.area == nil || id.code.area.words == nil || want < 0 || want%instruction != 0 || got%instruction != 0 {
		return false
	}
	words := id.code.area.words
	if uint64(want)/instruction == uint64(len(words.to)) {
		return uint64(got)/instruction == uint64(len(words.from)) // the function's end
	}
	first, last, ok := words.leadsTo(uint64(want) / instruction)
	return ok && got >= int64(first)*instruction && got <= int64(last)*instruction
}

func (c *check) recordFinding(kind Kind, a *area, k kept) Finding {
	f := Finding{Kind: kind, Section: a.name, Offset: k.offset, Relocation: relocationName(k.kind), Symbol: k.ref.String()}
	if k.mod != nil {
		f.File = k.mod.name
	}
	if kind == RelocationMissing && k.lost && !a.code() {
		f.Kind = PointerMissing
	}
	return f
}

// String names what a symbol index stands for.
func (r ref) String() string {
	switch {
	case r.id != nil:
		return r.id.name
	case r.area != nil:
		return r.area.name
	}
	return "no symbol"
}
