package symbols

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What holds of any image, whoever laid it out: what has a name is inside its
// section, as its definition was aligned, and no two of them share bytes. Two
// names of one place (PTX .alias, a variable and a part of it) are one thing.
//
// An object's own alignment is written nowhere but for shared variables, where
// st_value of the input is it. Of the others the input tells this much: a
// linker moves whole sections, so the offset keeps its remainder by the
// section's alignment.

func (c *check) compareObjects() error {
	if err := c.compareInside(); err != nil {
		return err
	}
	bySection := map[int][]*link.Identity{}
	var order []int
	for _, id := range c.IDs {
		if id.Out == 0 || id.Size == 0 || id.Space() == cuda.STOShared && !id.Function() {
			continue
		}
		s := &c.Out.Symbols[id.Out]
		if !s.Defined() || s.Special || s.Size == 0 {
			continue
		}
		if id.Other&cuda.STOVisibility == cuda.STOInternal && c.LostWithCode(id) {
			continue // a constant of code that another definition stands for
		}
		c.compareAlignment(id, s)
		if bySection[s.Shndx] == nil {
			order = append(order, s.Shndx)
		}
		bySection[s.Shndx] = append(bySection[s.Shndx], id)
	}
	for _, i := range order {
		if err := c.compareApart(bySection[i]); err != nil {
			return err
		}
	}
	return nil
}

// compareInside wants every symbol inside its section.
func (c *check) compareInside() error {
	for i := range c.Out.Symbols {
		s := &c.Out.Symbols[i]
		if c.Relocatable && s.Defined() && !s.Special && s.Other&cuda.STOSpace == cuda.STOShared && s.Kind() != cuda.STTSection && s.Size > c.Out.Sections[s.Shndx].Size {
			// Its value is an alignment; there has to be room for it all the same.
			c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolOutside, Section: c.Out.Sections[s.Shndx].Name, Symbol: s.Name, Want: fmt.Sprintf("a section of 0x%x bytes at least", s.Size), Got: verdict.Hex(c.Out.Sections[s.Shndx].Size)})
		}
		if !s.Defined() || s.Special || s.Kind() == cuda.STTSection || c.Relocatable && (s.Other&cuda.STOSpace == cuda.STOShared || s.Other&cuda.STOSpace == cuda.STOReservedShared) {
			continue
		}
		in := &c.Out.Sections[s.Shndx]
		end := c.endOf(in, c.Out.Refs[i].ID)
		if s.Value > end || s.Size > end-s.Value {
			if id := c.Out.Refs[i].ID; id != nil && (id.Space() == cuda.STOShared && !id.Function() || id.Other&cuda.STOVisibility == cuda.STOInternal && c.LostWithCode(id)) {
				continue // see compareSharedSymbol
			}
			c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolOutside, Section: in.Name, Symbol: s.Name, Offset: s.Value,
				Want: fmt.Sprintf("end at most 0x%x", end), Got: fmt.Sprintf("0x%x+0x%x", s.Value, s.Size)})
		}
	}
	return c.Budget.Spend("output", uint64(len(c.Out.Symbols)))
}

// endOf is the size of a section, of a capsule that of the code it stands for.
func (c *check) endOf(s *image.Section, id *link.Identity) uint64 {
	if c.Side != image.MercurySide || c.Out.Side == image.Whole || !link.IsCode(s) {
		return s.Size
	}
	if id != nil && id.Code != nil {
		if size := c.SizeOfCapsule(id.Code); size.Known {
			return size.Merc
		}
	}
	return 1<<64 - 1
}

// compareAlignment wants an object as aligned as its input has it: by the largest
// power of two that divides its place there, and no more than its section.
func (c *check) compareAlignment(id *link.Identity, s *image.Symbol) {
	align := id.Align
	if id.Def != nil && !id.Def.Special {
		align = id.Mod.Sections[id.Def.Shndx].Align
		if at := id.Def.Value; at != 0 {
			align = min(align, at&-at)
		}
	}
	if id.Common && id.Def == nil {
		align = id.FirstAlign // nvlink heeds no later mention's
	}
	if align < 2 || id.Function() {
		return
	}
	if s.Value%align != 0 {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolAlignment, Section: c.Out.Sections[s.Shndx].Name, Symbol: s.Name, Offset: s.Value,
			Want: "a multiple of " + verdict.Hex(align), Got: verdict.Hex(s.Value)})
	}
}

// compareApart wants the objects of one section apart where they are in the
// inputs.
func (c *check) compareApart(list []*link.Identity) error {
	uses := make([]place.SharedUse, 0, len(list))
	for _, id := range list {
		s := &c.Out.Symbols[id.Out]
		uses = append(uses, place.SharedUse{ID: id, Start: s.Value, End: s.Value + s.Size})
	}
	slices.SortFunc(uses, place.SharedUse.Compare)
	furthest := uses[0]
	for _, u := range uses[1:] {
		if u.Start < furthest.End && !c.areOne(furthest.ID, u.ID) {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolOverlap, Section: c.Out.Sections[c.Out.Symbols[u.ID.Out].Shndx].Name, Symbol: u.ID.Name, Offset: u.Start,
				Detail: "shares bytes with " + furthest.ID.Name})
		}
		if u.End > furthest.End {
			furthest = u
		}
	}
	return c.Budget.Spend("output", uint64(len(list)))
}

// areOne reports whether two names share bytes in their input already, or are
// constants of equal bytes, which nobody can tell apart.
func (c *check) areOne(a, b *link.Identity) bool {
	if a.Def == nil || b.Def == nil {
		return false
	}
	x, y := a.Def, b.Def
	if a.Mod == b.Mod && x.Shndx == y.Shndx {
		return x.Value < y.Value+y.Size && y.Value < x.Value+x.Size
	}
	if x.Special || y.Special || !a.Local || !b.Local || a.Size != b.Size || c.Out.Symbols[a.Out].Value != c.Out.Symbols[b.Out].Value {
		return false
	}
	s, t := &a.Mod.Sections[x.Shndx], &b.Mod.Sections[y.Shndx]
	_, constant := link.BankOf(s.Kind)
	p, ok := image.Cut(s.Body, x.Value, x.Size)
	q, okToo := image.Cut(t.Body, y.Value, y.Size)
	return constant && ok && okToo && bytes.Equal(p, q)
}
