package check

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// What holds of any image, whoever laid it out: what has a name lies inside its
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
	bySection := map[int][]*identity{}
	var order []int
	for _, id := range c.ids {
		if id.out == 0 || id.size == 0 || id.space() == cuda.STOShared && !id.function() {
			continue
		}
		s := &c.out.symbols[id.out]
		if !s.defined() || s.special || s.size == 0 || c.relocatable && id.space() == cuda.STOShared {
			continue // in a relocatable file st_value of shared memory is an alignment
		}
		if id.other&cuda.STOVisibility == cuda.STOInternal && c.lostWithCode(id) {
			continue // a constant of code that another definition stands for
		}
		c.compareAlignment(id, s)
		if bySection[s.shndx] == nil {
			order = append(order, s.shndx)
		}
		bySection[s.shndx] = append(bySection[s.shndx], id)
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
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		if c.relocatable && s.defined() && !s.special && s.other&cuda.STOSpace == cuda.STOShared && s.kind() != cuda.STTSection && s.size > c.out.sections[s.shndx].size {
			// Its value is an alignment; there has to be room for it all the same.
			c.verdict.add(Finding{Kind: SymbolOutside, Section: c.out.sections[s.shndx].name, Symbol: s.name, Want: fmt.Sprintf("a section of 0x%x bytes at least", s.size), Got: hex(c.out.sections[s.shndx].size)})
		}
		if !s.defined() || s.special || s.kind() == cuda.STTSection || c.relocatable && (s.other&cuda.STOSpace == cuda.STOShared || s.other&cuda.STOSpace == cuda.STOReservedShared) {
			continue
		}
		in := &c.out.sections[s.shndx]
		end := c.endOf(in, c.out.refs[i].id)
		if s.value > end || s.size > end-s.value {
			if id := c.out.refs[i].id; id != nil && (id.space() == cuda.STOShared && !id.function() || id.other&cuda.STOVisibility == cuda.STOInternal && c.lostWithCode(id)) {
				continue // see compareSharedSymbol
			}
			c.verdict.add(Finding{Kind: SymbolOutside, Section: in.name, Symbol: s.name, Offset: s.value,
				Want: fmt.Sprintf("end at most 0x%x", end), Got: fmt.Sprintf("0x%x+0x%x", s.value, s.size)})
		}
	}
	return c.budget.spend("output", uint64(len(c.out.symbols)))
}

// endOf is the size of a section, of a capsule that of the code it stands for.
func (c *check) endOf(s *section, id *identity) uint64 {
	if c.side != mercurySide || c.out.side == whole || !isCode(s) {
		return s.size
	}
	if id != nil && id.code != nil {
		if size := c.sizeOfCapsule(id.code); size.known {
			return size.merc
		}
	}
	return 1<<64 - 1
}

// compareAlignment wants an object as aligned as its input has it: by the largest
// power of two that divides its place there, and no more than its section.
func (c *check) compareAlignment(id *identity, s *symbol) {
	align := id.align
	if id.def != nil && !id.def.special {
		align = id.mod.sections[id.def.shndx].align
		if at := id.def.value; at != 0 {
			align = min(align, at&-at)
		}
	}
	if id.common && id.def == nil {
		align = id.firstAlign // nvlink heeds no later mention's
	}
	if align < 2 || id.function() {
		return
	}
	if s.value%align != 0 {
		c.verdict.add(Finding{Kind: SymbolAlignment, Section: c.out.sections[s.shndx].name, Symbol: s.name, Offset: s.value,
			Want: "a multiple of " + hex(align), Got: hex(s.value)})
	}
}

// compareApart wants the objects of one section apart where they are in the
// inputs.
func (c *check) compareApart(list []*identity) error {
	uses := make([]sharedUse, 0, len(list))
	for _, id := range list {
		s := &c.out.symbols[id.out]
		uses = append(uses, sharedUse{id, s.value, s.value + s.size})
	}
	slices.SortFunc(uses, sharedUse.compare)
	furthest := uses[0]
	for _, u := range uses[1:] {
		if u.start < furthest.end && !c.areOne(furthest.id, u.id) {
			c.verdict.add(Finding{Kind: SymbolOverlap, Section: c.out.sections[c.out.symbols[u.id.out].shndx].name, Symbol: u.id.name, Offset: u.start,
				Detail: "shares bytes with " + furthest.id.name})
		}
		if u.end > furthest.end {
			furthest = u
		}
	}
	return c.budget.spend("output", uint64(len(list)))
}

// areOne reports whether two names share bytes in their input already, or are
// constants of equal bytes, which nobody can tell apart.
func (c *check) areOne(a, b *identity) bool {
	if a.def == nil || b.def == nil {
		return false
	}
	x, y := a.def, b.def
	if a.mod == b.mod && x.shndx == y.shndx {
		return x.value < y.value+y.size && y.value < x.value+x.size
	}
	if x.special || y.special || !a.local || !b.local || a.size != b.size || c.out.symbols[a.out].value != c.out.symbols[b.out].value {
		return false
	}
	s, t := &a.mod.sections[x.shndx], &b.mod.sections[y.shndx]
	_, constant := bankOf(s.kind)
	p, ok := cut(s.body, x.value, x.size)
	q, okToo := cut(t.body, y.value, y.size)
	return constant && ok && okToo && bytes.Equal(p, q)
}
