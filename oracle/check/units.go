package check

import (
	"fmt"

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
	return nil
}

// unitPlace is where the code reads the constants of a function.
func (c *check) unitPlace(unit *area) (at uint64, told bool) {
	for _, p := range unit.parts {
		key := placeOf{p.mod, p.section.index}
		if s, known := c.told[toldKey{sec: key}]; known && s >= p.base {
			return s - p.base, true
		}
		for _, id := range c.objectsIn[key] {
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
