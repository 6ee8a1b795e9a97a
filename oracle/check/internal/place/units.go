package place

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
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

func (c *Places) placeUnits() error {
	if c.Relocatable {
		return nil // a function keeps its own until the final link
	}
	var banks []*link.Area
	bankSeen := map[*link.Area]bool{}
	for _, unit := range c.Areas {
		_, constant := link.BankOf(unit.Kind)
		if !constant || unit.Size == 0 || unit.Owner == nil || !unit.Owner.Live || unit.Owner.Kernel() {
			continue
		}
		at, told := c.unitPlace(unit)
		unit.Moved, unit.MovedTo = true, at
		users, err := c.Users(unit.Owner)
		if err != nil {
			return err
		}
		if !told {
			continue
		}
		for _, k := range users {
			bank := c.Area(unit.Base, unit.Base+k.Name, k.Code)
			if bank.Kind == 0 {
				bank.Kind, bank.Flags = unit.Kind, cuda.SHFAlloc
				if c.Release >= link.FlagsOwned {
					bank.Flags |= cuda.SHFInfoLink
				}
			}
			bank.Align = max(bank.Align, unit.Align)
			for _, p := range unit.Parts {
				if err := c.Budget.Spend(p.Mod.Name, 1); err != nil {
					return err
				}
				q := &link.Part{Mod: p.Mod, Section: p.Section, Base: at + p.Base, Placed: true}
				if !bankSeen[bank] {
					bankSeen[bank] = true
					banks = append(banks, bank)
				}
				bank.Parts = append(bank.Parts, q)
				bank.Size = max(bank.Size, q.Base+p.Section.Size)
			}
			unit.MovedInto = append(unit.MovedInto, bank)
		}
		if at%max(unit.Align, 1) != 0 {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolAlignment, File: unit.Parts0(), Section: unit.Name, Symbol: unit.Owner.Owner.String(),
				Want: "a multiple of " + verdict.Hex(unit.Align), Got: verdict.Hex(at), Detail: "constants of a function, where its code reads them"})
		}
	}
	c.banks = banks
	return nil
}

// collideUnits looks at the banks once the kernels' own constants have their places too.
func (c *Places) collideUnits() error {
	for _, bank := range c.banks {
		if err := c.collide(bank); err != nil {
			return err
		}
	}
	return nil
}

// collide tells of constants of two functions at one place of a bank, as the fields of
// both have it. nvlink 13.0 writes such code where a first link with -r applied
// the records of one of them.
func (c *Places) collide(bank *link.Area) error {
	list := slices.DeleteFunc(slices.Clone(bank.Parts), func(p *link.Part) bool { return !p.Placed })
	slices.SortStableFunc(list, func(p, q *link.Part) int { return cmp.Compare(p.Base, q.Base) })
	var furthest *link.Part
	for _, q := range list {
		if err := c.Budget.Spend(q.Mod.Name, 1+q.Section.Size/16); err != nil {
			return err
		}
		if furthest != nil && !agree(furthest, q) {
			f := verdict.Finding{Kind: verdict.SectionOverlap, File: q.Mod.Name, Section: bank.Name, Offset: q.Base, Want: "apart from " + furthest.Section.Name, Got: verdict.Hex(q.Base),
				Detail: "the code of two functions expects different constants at one offset of the bank of " + bank.Owner.Owner.String()}
			if owner := q.Mod.OwnerOf(q.Section); owner != nil {
				f.Symbol = owner.Owner.String()
			}
			c.Verdict.Add(f)
			return nil
		}
		if furthest == nil || q.Base+q.Section.Size > furthest.Base+furthest.Section.Size {
			furthest = q
		}
	}
	return nil
}

// agree reports whether two parts have the same bytes where both lie.
func agree(p, q *link.Part) bool {
	from, to := max(p.Base, q.Base), min(p.Base+p.Section.Size, q.Base+q.Section.Size)
	if from >= to {
		return true
	}
	x, ok := image.Cut(p.Section.Body, from-p.Base, to-from)
	y, okToo := image.Cut(q.Section.Body, from-q.Base, to-from)
	return !ok || !okToo || bytes.Equal(x, y)
}

// unitPlace is where the code reads the constants of a function.
func (c *Places) unitPlace(unit *link.Area) (at uint64, told bool) {
	for _, p := range unit.Parts {
		key := link.PlaceOf{Mod: p.Mod, Section: p.Section.Index}
		if s, known := c.Observed[link.ObservedKey{Sec: key}]; known && s >= p.Base {
			return s - p.Base, true
		}
		for _, id := range c.ObjectsIn.Of(key) {
			if s, known := c.Observed[link.ObservedKey{ID: id}]; known && s >= p.Base+id.Def.Value {
				return s - p.Base - id.Def.Value, true
			}
		}
	}
	return 0, false
}

// CompareBanks wants constant banks long enough for what code reads in them.
func (c *Places) CompareBanks() {
	for _, a := range c.Areas {
		if a.Out == nil || a.Code() {
			continue
		}
		for _, p := range a.Parts {
			if a.Kind == cuda.SHTCudaConstant0 && a.Out.Size < p.Section.Size {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SectionSize, File: p.Mod.Name, Section: a.Name, Symbol: a.Owner.Owner.String(), Want: "at least " + verdict.Hex(p.Section.Size), Got: verdict.Hex(a.Out.Size),
					Detail: "the bank of the kernel's parameters"})
			}
			if !p.Placed {
				continue
			}
			for _, piece := range p.Pieces() {
				if piece.To > a.Out.Size || piece.Size > a.Out.Size-piece.To {
					c.Verdict.Add(verdict.Finding{Kind: verdict.SectionSize, File: p.Mod.Name, Section: a.Name, Want: "at least " + verdict.Hex(piece.To+piece.Size), Got: verdict.Hex(a.Out.Size),
						Detail: fmt.Sprintf("%s of the input doesn't fit", p.Section.Name)})
					break
				}
			}
		}
		if a.Size != a.Out.Size && a.Kind != cuda.SHTCudaShared && !a.Slots {
			c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionSize, Section: a.Name, Want: verdict.Hex(a.Size), Got: verdict.Hex(a.Out.Size), Detail: "as the inputs' order gives it"})
		}
	}
}
