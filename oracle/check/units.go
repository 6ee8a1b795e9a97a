package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Constants that the compiler made for a function's own code.
//
// The driver knows such a bank only for kernels. So the bank of a function is
// copied into that of every kernel that reaches it, at the same offset in all
// of them, and its code is patched with that offset. Later functions come
// first. Where only definitions that lost have such constants, they stay where
// they are, though nothing refers to them.
//
// Source: 30 links of double constants and jump tables by nvlink 11.8.89 and
// 12.4.131.

func (c *check) placeUnits() error {
	cursor := map[*body]uint64{}
	for _, unit := range slices.Backward(c.areas) {
		_, constant := bankOf(unit.kind)
		if !constant || unit.size == 0 || !unit.own || unit.owner == nil || !unit.owner.live || unit.owner.kernel() {
			continue
		}
		base := unit.base
		users := unit.owner.users()
		at, align := uint64(0), unit.align
		for _, k := range users {
			at = max(at, c.unitEnd(base, k.code, cursor))
			if own := c.byKey[areaKey{base, k.code}]; own != nil {
				align = max(align, own.align)
			}
		}
		if err := c.budget.spend("", uint64(len(users))); err != nil {
			return err
		}
		at = roundUp(at, unit.align)
		for _, k := range users {
			bank := c.area(base, base+k.name, k.code)
			bank.kind, bank.flags = unit.kind, cuda.SHFAlloc
			if c.release >= flagsOwned {
				bank.flags |= cuda.SHFInfoLink
			}
			bank.align, bank.own = max(bank.align, align), true
			for _, p := range unit.parts {
				bank.parts = append(bank.parts, part{p.mod, p.section, at + p.base})
			}
			unit.movedInto = append(unit.movedInto, bank)
			cursor[k.code] = roundUp(at+unit.size, bank.align)
			bank.size = cursor[k.code]
		}
		unit.moved, unit.movedTo = true, at
	}
	for _, id := range c.ids {
		if a := id.at.area; a != nil && a.moved {
			id.value += a.movedTo
		}
	}
	return nil
}

// unitEnd is where the next unit may lie in a kernel's bank.
func (c *check) unitEnd(base string, k *body, cursor map[*body]uint64) uint64 {
	if end, ok := cursor[k]; ok {
		return end
	}
	if own := c.byKey[areaKey{base, k}]; own != nil {
		return roundUp(own.size, own.align)
	}
	return 0
}

func (b *body) kernel() bool {
	return slices.ContainsFunc(b.names, func(f *identity) bool { return f.kernel() })
}

// users lists the kernels that reach a body.
func (b *body) users() []*identity {
	var list []*identity
	for _, f := range b.names {
		for _, k := range f.users {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}
