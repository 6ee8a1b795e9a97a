package records

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Every record that must be kept is there, and no other.

func (c *check) compareRecords() error {
	lists := map[*link.Area][]int{}
	for i, l := range c.Out.Lists {
		if l.Section.Kind == cuda.SHTCudaResolvedRela {
			continue
		}
		a := c.Out.Areas[l.Target]
		if a == nil {
			f := verdict.Finding{Kind: verdict.SectionStray, Section: l.Section.Name, Detail: "its target is not a section of the link"}
			if c.Harmless(&c.Out.Sections[l.Target]) {
				c.Verdict.Habit(f)
			} else {
				c.Verdict.Add(f)
			}
			continue
		}
		lists[a] = append(lists[a], i)
		if err := c.Budget.Spend("output", uint64(len(l.List))); err != nil {
			return err
		}
	}
	var want, got []link.Kept
	for _, a := range c.Areas {
		if c.Rewritten(a) {
			continue
		}
		want, got = want[:0], got[:0]
		if !(a.Owner != nil && !a.Owner.Live || a.Moved || a.Out == nil) { // else its absence is told
			want = append(want, a.Kept...)
		}
		for i := range want {
			want[i].Offset = c.MovedTo(a, want[i].Offset)
		}
		for _, i := range lists[a] {
			for _, r := range c.Out.Lists[i].List {
				if t := &c.Out.Sections[c.Out.Lists[i].Target]; !a.Code() && r.Offset >= t.Size {
					c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationStray, Section: t.Name, Offset: r.Offset, Relocation: image.RelocationName(r.Kind), Detail: "past the end of the section"})
					break
				}
				got = append(got, link.Kept{Offset: r.Offset, Kind: r.Kind, Addend: r.Addend, Rela: r.Rela, Ref: c.OutRef(r.Symbol), Nobody: r.Symbol == 0})
			}
		}
		c.Verdict.Kept += len(want)
		c.comparePlaces(a, want, got)
	}
	return nil
}

// comparePlaces compares the records of one area, place by place.
func (c *check) comparePlaces(a *link.Area, want, got []link.Kept) {
	byPlace := func(list []link.Kept) func(i, j int) bool {
		return func(i, j int) bool {
			if list[i].Offset != list[j].Offset {
				return list[i].Offset < list[j].Offset
			}
			return list[i].Kind < list[j].Kind
		}
	}
	sort.SliceStable(want, byPlace(want))
	sort.SliceStable(got, byPlace(got))
	for len(want) > 0 || len(got) > 0 {
		switch {
		case len(got) == 0 || len(want) > 0 && want[0].Offset < got[0].Offset:
			if !want[0].Optional && !want[0].Dead {
				c.Verdict.Add(c.recordFinding(verdict.RelocationMissing, a, want[0]))
			}
			want = want[1:]
		case len(want) == 0 || got[0].Offset < want[0].Offset:
			f := c.recordFinding(verdict.RelocationStray, a, got[0])
			if c.AsksForNop(a, got[0]) {
				got = got[1:]
				continue
			}
			if a.Out == nil || a.Code() || image.NoBits(a.Kind) || a.Explains(got[0].Offset) {
				c.Verdict.Add(f)
			} else {
				// Bytes of a definition that lost, which nothing refers to.
				c.Verdict.Habit(f)
			}
			got = got[1:]
		default:
			c.compareRecord(a, want[0], got[0])
			want, got = want[1:], got[1:]
		}
	}
}

// compareRecord holds a record of the output against the one that has to be at its place.
func (c *check) compareRecord(a *link.Area, w, g link.Kept) {
	f := c.recordFinding(0, a, w)
	switch {
	case w.Optional && w.Ref != g.Ref:
		return
	case w.Kind != g.Kind:
		f.Kind, f.Want, f.Got = verdict.RelocationType, image.RelocationName(w.Kind), image.RelocationName(g.Kind)
	case w.Ref != g.Ref:
		if sameSubject(a, w, g) {
			return
		}
		f.Kind, f.Want, f.Got = verdict.RelocationSymbol, w.Ref.String(), g.Ref.String()
	case !c.sameAddend(a, w, g):
		f.Kind, f.Want, f.Got = verdict.RelocationAddend, fmt.Sprint(w.Addend), fmt.Sprint(g.Addend)
	default:
		return
	}
	c.Verdict.Add(f)
}

// sameSubject reports whether records that name different symbols are about the same: one of two static
// functions that are alike, or what stands for arrays of unknown length, of which an earlier relocatable
// link made one and this link another.
func sameSubject(a *link.Area, w, g link.Kept) bool {
	return verdict.IsDebug(a.Name) && sameCode(w.Ref.ID, g.Ref.ID) || w.Ref.ID.StandIn() && g.Ref.ID.StandIn() && w.Addend == g.Addend
}

// sameAddend reports whether a record of the output has an addend that says what the wanted one says.
func (c *check) sameAddend(a *link.Area, w, g link.Kept) bool {
	switch {
	case !w.Rela && g.Rela:
		return w.Implicit == g.Addend
	case w.Rela != g.Rela:
		return false
	case w.Addend == g.Addend:
		return true
	case w.Optional && c.Out.Side == image.SassSide && verdict.IsDebug(a.Name) && w.Ref.ID != nil && w.Ref.ID.Function() && g.Addend >= 0:
		return true // a place in code that lost, as the code that won has it
	}
	return c.leadsInto(w.Ref.ID, w.Addend, g.Addend) || c.namesSameInDebug(w, g)
}

// sameCode reports whether two static functions of one name have the same code, so
// that which is which shows only in debug information.
func sameCode(a, b *link.Identity) bool {
	return a != nil && b != nil && a.Local && b.Local && a.Name == b.Name && a.Code != nil && b.Code != nil && bytes.Equal(a.Code.Bare(), b.Code.Bare())
}

// namesSameInDebug reports whether a record of debug information names the start of a part of
// its module, and the output's that of another module's part with the same bytes: a line table
// that has no lines.
func (c *check) namesSameInDebug(want, got link.Kept) bool {
	if want.Ref.Area == nil || want.Mod == nil || want.Addend < 0 || got.Addend < 0 {
		return false
	}
	for _, p := range want.Ref.Area.Parts {
		if p.Mod == want.Mod && p.Placed && p.Base == uint64(want.Addend) && c.SameInDebug(link.Place{Area: want.Ref.Area, Part: p}, uint64(got.Addend)) {
			return true
		}
	}
	return false
}

// leadsInto reports whether an addend that names a word of code names the same word
// where words moved.
func (c *check) leadsInto(id *link.Identity, want, got int64) bool {
	if id == nil || id.Code == nil || id.Code.Area == nil || id.Code.Area.Words == nil || want < 0 || want%sass.Instruction != 0 || got%sass.Instruction != 0 {
		return false
	}
	words := id.Code.Area.Words
	if uint64(want)/sass.Instruction == uint64(len(words.To)) {
		return uint64(got)/sass.Instruction == uint64(len(words.From)) // the function's end
	}
	first, last, ok := words.LeadsTo(uint64(want) / sass.Instruction)
	return ok && got >= int64(first)*sass.Instruction && got <= int64(last)*sass.Instruction
}

func (c *check) recordFinding(kind verdict.Kind, a *link.Area, k link.Kept) verdict.Finding {
	f := verdict.Finding{Kind: kind, Section: a.Name, Offset: k.Offset, Relocation: image.RelocationName(k.Kind), Symbol: k.Ref.String()}
	if k.Mod != nil {
		f.File = k.Mod.Name
	}
	if kind == verdict.RelocationMissing && k.Lost && !a.Code() {
		f.Kind = verdict.PointerMissing
	}
	return f
}
