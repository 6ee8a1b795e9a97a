package apply

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What each record of the inputs must have come to.
//
// The symbol decides together with the type; oracle.FateOf has the rule. A
// record whose symbol has gone (dead code, index 0, the tables that only the
// driver knows) goes too. 72 and 73, which are in .debug_frame for the size
// of a function, clear their place where the function is dead and do nothing
// where it lives.
//
// Source: links by nvlink 11.8.89, 12.4.131 and 13.0.88.

// decision is what becomes of one record.
type decision struct {
	action oracle.Action
	as     uint32
	in     oracle.Inputs

	keepFor *link.Identity // the record stays for this symbol in place of its own

	optional bool // it may be applied or not
}

func (c *Applied) Relocate() error {
	c.measureConstants()
	for _, m := range c.Modules {
		for _, list := range m.Relocs {
			if err := c.relocateSection(m, list); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Applied) relocateSection(m *link.Module, list link.Relocs) error {
	to := m.Places[list.Target]
	if to.Area == nil || to.Area.Owner != nil && !to.Area.Owner.Live {
		return nil
	}
	for _, p := range to.Copies() {
		if err := c.relocatePlace(m, list, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *Applied) relocatePlace(m *link.Module, list link.Relocs, to link.Place) error {
	if to.Area.Out != nil && !to.Part.Placed {
		return nil // its bytes were not found, which is told
	}
	for _, r := range list.List {
		place := r.Offset
		if to.Part.Without(place) {
			continue
		}
		r.Offset = to.Part.At(r.Offset)
		if err := c.Budget.Spend(m.Name, 1); err != nil {
			return err
		}
		optional := c.AboutLoser(m, list.Target, image.Record{Offset: place, Kind: r.Kind, Symbol: r.Symbol}) || c.inIdleSlot(m, list.Target, r, to.Area, place)
		if id := m.Refs[r.Symbol].ID; id != nil && id.Image() && oracle.TakesBindlessSlot(r.Kind) && !c.Relocatable && to.Area.Owner != nil && !c.HasSlot(id, to.Area.Owner) {
			// Code that no kernel reaches: there is no slot to tell.
			c.setFree(to.Area, r.Offset)
			continue
		}
		if c.Relocatable && c.placedEarly(m, to.Area, r) {
			continue
		}
		if optional {
			c.setFree(to.Area, r.Offset)
		}
		d := c.judge(m, to.Area, r)
		d.optional = d.optional || optional
		switch {
		case d.keepFor != nil:
			to.Area.Keep(link.Kept{Offset: r.Offset, Kind: r.Kind, Ref: link.Ref{ID: d.keepFor}, Addend: r.Addend, Rela: r.Rela, Mod: m, Optional: optional})
		case d.action == oracle.Patches:
			c.patch(m, to.Area, r, d)
		case d.action == oracle.Keeps, d.action == oracle.Finalizes:
			k := link.Kept{Offset: r.Offset, Kind: d.as, Ref: c.RefOf(m, r.Symbol), Addend: c.mergedAddend(m, r), Rela: r.Rela, Mod: m, Optional: optional, Dead: c.NeverCalled(to.Area.Owner, m.Refs[r.Symbol].ID), Lost: m.DefinesAsWell(r.Symbol)}
			if !r.Rela {
				k.Implicit = implicit(to.Area, r)
			} else if c.fieldOfCounterpart(to.Area, r) {
				to.Area.Free = append(to.Area.Free, link.Span{From: r.Offset, To: r.Offset + 4})
			}
			to.Area.Keep(k)
		case optional && m.Refs[r.Symbol].ID != nil && m.Refs[r.Symbol].ID.Duplicate:
			// Of functions that are alike, that of another input may have stayed.
			to.Area.Keep(link.Kept{Offset: r.Offset, Kind: r.Kind, Ref: c.RefOf(m, r.Symbol), Addend: r.Addend, Rela: r.Rela, Mod: m, Optional: true})
		}
	}
	return nil
}

// setFree lets a relocated place be as it is.
func (c *Applied) setFree(a *link.Area, offset uint64) {
	if at, stored := c.Locate(a, offset); stored {
		a.Free = append(a.Free, link.Span{From: at, To: at + 8})
	}
}

// implicit is the addend that a REL record has in its place.
func implicit(a *link.Area, r image.Record) int64 {
	place, ok := image.Cut(a.Want, r.Offset, min(16, uint64(len(a.Want))-min(r.Offset, uint64(len(a.Want)))))
	if !ok {
		return 0
	}
	out, err := oracle.Apply(r.Kind, place, oracle.Inputs{})
	if err != nil {
		return 0
	}
	return int64(out.Implicit)
}

// inIdleSlot reports whether a record gives the address of a function that nothing defines
// to a slot ($ADDRESS$) that no code of the output names, as where a filter took all
// kernels: nothing ever reads it.
func (c *Applied) inIdleSlot(m *link.Module, section int, r image.Record, a *link.Area, at uint64) bool {
	f := m.Refs[r.Symbol].ID
	if c.Relocatable || f == nil || !f.Function() || f.Def != nil || a.Out == nil {
		return false
	}
	if _, constant := link.Bank(&m.Sections[section]); !constant || c.Out.NamesAt(a.Out.Index)[r.Offset].Symbol == f.Name {
		return false
	}
	idle, objects := false, c.ObjectsIn.Of(link.PlaceOf{Mod: m, Section: section})
	if c.Budget.Spend(m.Name, uint64(len(objects))) != nil {
		return false
	}
	for _, id := range objects {
		if at < id.Def.Value || at-id.Def.Value >= id.Size {
			continue
		}
		if idle = id.Other&cuda.STOVisibility == cuda.STOInternal && c.nobodyUses(id); !idle {
			return false
		}
	}
	return idle
}

// nobodyUses reports whether no code of the output names an object.
func (c *Applied) nobodyUses(id *link.Identity) bool {
	u := c.Uses[id]
	return u == nil || len(u.Functions) == 0
}

// clear blanks the size of a function that has gone.
func (c *Applied) clear(a *link.Area, r image.Record) {
	width := image.WidthOfSize(r.Kind)
	// nvlink clears it, but not for a copy that an earlier link dropped.
	a.Free = append(a.Free, link.Span{From: r.Offset, To: r.Offset + width})
}

// patch carries a recipe out on the bytes that the output must have.
func (c *Applied) patch(m *link.Module, a *link.Area, r image.Record, d decision) {
	at, stored := c.Locate(a, r.Offset)
	if !stored {
		c.Verdict.Applied++
		if c.Options.PreserveRelocs {
			c.writeDown(m, a, r, d, oracle.Outcome{})
		}
		return
	}
	if at > uint64(len(a.Want)) {
		return
	}
	place := a.Want[at:min(uint64(len(a.Want)), at+16)]
	out, err := oracle.Apply(d.as, place, d.in)
	if err != nil {
		c.Verdict.Add(verdict.Finding{Kind: verdict.InputConflict, File: m.Name, Section: a.Name, Offset: r.Offset, Detail: err.Error()})
		return
	}
	before := slices.Clone(place)
	copy(place, out.Bytes)
	size := uint64(0)
	for _, f := range out.Written() {
		size = max(size, uint64(f.Bytes()))
	}
	a.Fields = append(a.Fields, link.Field{Offset: at, Size: size, Rec: r, Mod: m, Target: m.Refs[r.Symbol].ID, As: d.as, Before: before, In: d.in})
	c.Verdict.Applied++
	if c.Options.PreserveRelocs {
		c.writeDown(m, a, r, d, out)
	}
}

// placedEarly tells of a shared variable that a relocatable output already gives a
// place: nvlink 13.0 carries such records out before anything has one. It writes the
// variable's alignment, whatever else is there, and the final link asks for no
// memory; where another module defines the variable it writes all ones.
func (c *Applied) placedEarly(m *link.Module, a *link.Area, r image.Record) bool {
	id := m.Refs[r.Symbol].ID
	if id == nil || id.Function() || id.Space() != cuda.STOShared || a.Out == nil || !a.Code() || image.IsYield(r.Kind) || id.Def == nil && id.ExternShared() && !a.Owner.Kernel() {
		return false
	}
	if a.RecordsAt == nil {
		a.RecordsAt = map[uint64]bool{}
		for _, i := range c.Out.ListsOf[a.Out.Index] {
			for _, k := range c.Out.Lists[i].List {
				a.RecordsAt[k.Offset] = true
			}
		}
	}
	if at := c.MovedTo(a, r.Offset); a.RecordsAt[at] {
		return false
	}
	c.setFree(a, r.Offset)
	if !c.reportedEarly[id] {
		if c.reportedEarly == nil {
			c.reportedEarly = map[*link.Identity]bool{}
		}
		c.reportedEarly[id] = true
		detail := "a shared variable got an offset before the final link: others have the same, and no memory is reserved"
		if id.Def == nil {
			detail = "a shared variable that another module defines got an offset before the final link, which can't change it: there is no record for it"
		}
		c.Verdict.Add(verdict.Finding{Kind: verdict.SharedPlace, File: id.File, Section: a.Name, Symbol: id.Name, Offset: r.Offset, Relocation: image.RelocationName(r.Kind),
			Want: "a record for the final link", Got: "a number", Detail: detail})
	}
	return true
}

// earlyExtern is what becomes, in a relocatable output, of a record against an
// array of unknown length: that of a kernel stays and names a symbol made for it,
// externsharedinstance; one of a function is applied with 0.
// 13.5 keeps the record as it is.
func (c *Applied) earlyExtern(a *link.Area, r image.Record, d decision, id *link.Identity) decision {
	if a.Out != nil && c.Out.NamesAt(a.Out.Index)[c.MovedTo(a, r.Offset)].Symbol == id.Name {
		d.action, d.as = oracle.Keeps, r.Kind
		return d
	}
	if a.Owner == nil || !a.Owner.Kernel() {
		if d.in.S = 0; id.Def != nil || c.Release >= 132 {
			d.action, d.as = oracle.Keeps, r.Kind
		}
		return d
	}
	if d.keepFor = c.Instance; c.Instance == nil {
		d.keepFor = &link.Identity{Name: link.ExternInstance}
	}
	return d
}
