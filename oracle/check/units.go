package check

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Constants that the compiler made for a function's own code.
//
// The driver knows such a bank only for kernels. So the constants of a function
// are copied into the bank of every kernel that reaches it, at the same offset
// in all of them, and its code is patched with that offset; the code tells it.
// What no field names need not be anywhere.
//
// Source: 30 links of double constants and jump tables by nvlink 11.8.89 and
// 12.4.131.

func (c *check) placeUnits() error {
	if c.relocatable {
		return nil // a function keeps its own until the final link
	}
	var banks []*area
	bankSeen := map[*area]bool{}
	for _, unit := range c.areas {
		_, constant := bankOf(unit.kind)
		if !constant || unit.size == 0 || unit.owner == nil || !unit.owner.live || unit.owner.kernel() {
			continue
		}
		at, told := c.unitPlace(unit)
		unit.moved, unit.movedTo = true, at
		users, err := c.users(unit.owner)
		if err != nil {
			return err
		}
		if !told {
			continue
		}
		for _, k := range users {
			bank := c.area(unit.base, unit.base+k.name, k.code)
			if bank.kind == 0 {
				bank.kind, bank.flags = unit.kind, cuda.SHFAlloc
				if c.release >= flagsOwned {
					bank.flags |= cuda.SHFInfoLink
				}
			}
			bank.align = max(bank.align, unit.align)
			for _, p := range unit.parts {
				if err := c.budget.spend(p.mod.name, 1); err != nil {
					return err
				}
				q := &part{mod: p.mod, section: p.section, base: at + p.base, placed: true}
				if !bankSeen[bank] {
					bankSeen[bank] = true
					banks = append(banks, bank)
				}
				bank.parts = append(bank.parts, q)
				bank.size = max(bank.size, q.base+p.section.size)
			}
			unit.movedInto = append(unit.movedInto, bank)
		}
		if at%max(unit.align, 1) != 0 {
			c.verdict.add(Finding{Kind: SymbolAlignment, File: unit.parts0(), Section: unit.name, Symbol: unit.owner.owner.String(),
				Want: "a multiple of " + hex(unit.align), Got: hex(at), Detail: "constants of a function, where its code reads them"})
		}
	}
	c.banks = banks
	return nil
}

// collideUnits looks at the banks once the kernels' own constants have their places too.
func (c *check) collideUnits() error {
	for _, bank := range c.banks {
		if err := c.collide(bank); err != nil {
			return err
		}
	}
	return nil
}

// collide tells of constants of two functions at one place of a bank, as the fields of
// both have it. nvlink 13.0 writes such code where a first link with -r carried out
// the records of one of them.
func (c *check) collide(bank *area) error {
	list := slices.DeleteFunc(slices.Clone(bank.parts), func(p *part) bool { return !p.placed })
	slices.SortStableFunc(list, func(p, q *part) int { return cmp.Compare(p.base, q.base) })
	var furthest *part
	for _, q := range list {
		if err := c.budget.spend(q.mod.name, 1+q.section.size/16); err != nil {
			return err
		}
		if furthest != nil && !agree(furthest, q) {
			f := Finding{Kind: SectionOverlap, File: q.mod.name, Section: bank.name, Offset: q.base, Want: "apart from " + furthest.section.name, Got: hex(q.base),
				Detail: "the code of two functions reads other constants at one place of the bank of " + bank.owner.owner.String()}
			if owner := q.mod.ownerOf(q.section); owner != nil {
				f.Symbol = owner.owner.String()
			}
			c.verdict.add(f)
			return nil
		}
		if furthest == nil || q.base+q.section.size > furthest.base+furthest.section.size {
			furthest = q
		}
	}
	return nil
}

// agree reports whether two parts have the same bytes where both lie.
func agree(p, q *part) bool {
	from, to := max(p.base, q.base), min(p.base+p.section.size, q.base+q.section.size)
	if from >= to {
		return true
	}
	x, ok := cut(p.section.body, from-p.base, to-from)
	y, okToo := cut(q.section.body, from-q.base, to-from)
	return !ok || !okToo || bytes.Equal(x, y)
}

// unitPlace is where the code reads the constants of a function.
func (c *check) unitPlace(unit *area) (at uint64, told bool) {
	for _, p := range unit.parts {
		key := placeOf{p.mod, p.section.index}
		if s, known := c.told[toldKey{sec: key}]; known && s >= p.base {
			return s - p.base, true
		}
		for _, id := range c.objectsIn.of(key) {
			if s, known := c.told[toldKey{id: id}]; known && s >= p.base+id.def.value {
				return s - p.base - id.def.value, true
			}
		}
	}
	return 0, false
}

// compareBanks wants constant banks long enough for what code reads in them.
func (c *check) compareBanks() {
	for _, a := range c.areas {
		if a.out == nil || a.code() {
			continue
		}
		for _, p := range a.parts {
			if a.kind == cuda.SHTCudaConstant0 && a.out.size < p.section.size {
				c.verdict.add(Finding{Kind: SectionSize, File: p.mod.name, Section: a.name, Symbol: a.owner.owner.String(), Want: "at least " + hex(p.section.size), Got: hex(a.out.size),
					Detail: "the bank of the kernel's parameters"})
			}
			if !p.placed {
				continue
			}
			for _, piece := range p.pieces() {
				if piece.to > a.out.size || piece.size > a.out.size-piece.to {
					c.verdict.add(Finding{Kind: SectionSize, File: p.mod.name, Section: a.name, Want: "at least " + hex(piece.to+piece.size), Got: hex(a.out.size),
						Detail: fmt.Sprintf("%s of the input doesn't fit", p.section.name)})
					break
				}
			}
		}
		if a.size != a.out.size && a.kind != cuda.SHTCudaShared && !a.slots {
			c.verdict.habit(Finding{Kind: SectionSize, Section: a.name, Want: hex(a.size), Got: hex(a.out.size), Detail: "as the inputs' order gives it"})
		}
	}
}
