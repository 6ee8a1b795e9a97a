package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory.
//
// A variable of .nv.shared.k belongs to one kernel; those of .nv_debug.shared
// belong to nobody and may be used by several kernels through common functions,
// at one place for all of them. None of the symbols is left in a plain link; only
// the fields tell, see evidence.go. Any choice will do under which no two
// variables that one kernel uses share bytes, each is aligned, and all lie below
// the end of the kernel's section. What has no known length begins behind the
// others and not behind the end of the section, where the driver puts the room
// for it.
//
// st_value of such a symbol in an input is its alignment, not an offset.
//
// Source: 318 links of random shared variables by nvlink 11.8.89 to 13.0.88.

const (
	// From sm_90 on the system keeps the first kilobyte; sh_size counts it,
	// the addresses don't.
	reservedShared = 0x400
	externAlign    = 16
)

// findShared notes the alignment of shared variables.
func (c *check) findShared() {
	for _, id := range c.ids {
		if id.kind() == cuda.STTCudaObject && id.space() == cuda.STOShared && id.def != nil && !id.def.special {
			id.align = max(id.def.value, 1)
			c.shared = append(c.shared, id)
		}
	}
}

// sharedUse is a shared variable as a kernel uses it.
type sharedUse struct {
	id         *identity
	start, end uint64
}

// compareShared holds the places of shared variables against each other, kernel
// by kernel.
func (c *check) compareShared() error {
	if c.relocatable {
		return nil // see placedEarly
	}
	uses := map[*identity][]sharedUse{}
	for _, id := range c.shared {
		at, known := c.told[toldKey{id: id}]
		if !known {
			continue
		}
		users := c.usersOf(id)
		if c.exhausted != nil {
			return c.exhausted
		}
		if at%max(id.align, 1) != 0 {
			c.verdict.add(c.sharedFinding(SymbolAlignment, id, at, "a multiple of "+hex(id.align), ""))
		}
		if c.options.ReserveNull && at == 0 && len(users) > 0 {
			c.verdict.add(c.sharedFinding(SharedPlace, id, at, "another place than 0", "--reserve-null-pointer keeps it"))
		}
		for _, k := range users {
			uses[k] = append(uses[k], sharedUse{id, at, at + id.size})
		}
		if err := c.budget.spend("output", uint64(len(users))); err != nil {
			return err
		}
	}
	for _, k := range c.kernels {
		if err := c.compareSharedOf(k, uses[k]); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) sharedFinding(kind Kind, id *identity, at uint64, want, detail string) Finding {
	f := Finding{Kind: kind, File: id.file, Symbol: id.name, Want: want, Got: hex(at), Detail: detail}
	if u := c.uses[id]; u != nil && len(u.functions) > 0 {
		f.Section = u.functions[0].section.name
	}
	return f
}

// compareSharedOf looks at the variables of one kernel.
func (c *check) compareSharedOf(k *identity, list []sharedUse) error {
	slices.SortStableFunc(list, func(x, y sharedUse) int { return cmp.Compare(x.start, y.start) })
	end, ok := c.sharedEnd(k)
	var furthest sharedUse
	for i, u := range list {
		if !ok || u.end > end || u.start > end {
			c.verdict.add(c.sharedFinding(SharedSize, u.id, u.start, "inside",
				fmt.Sprintf("%s asks for 0x%x bytes of shared memory, the variable is %d long", k.name, end, u.id.size)))
		}
		if i > 0 && u.start < furthest.end && u.end > u.start {
			c.verdict.add(c.sharedFinding(SharedOverlap, u.id, u.start, "apart from "+furthest.id.name,
				fmt.Sprintf("%s is at 0x%x, %d bytes long; %s uses both", furthest.id.name, furthest.start, furthest.id.size, k.name)))
		}
		if i == 0 || u.end > furthest.end {
			furthest = u
		}
	}
	return c.compareExterns(k, furthest, end)
}

// compareExterns looks at the arrays of unknown length that the kernel's code
// names.
func (c *check) compareExterns(k *identity, furthest sharedUse, end uint64) error {
	for _, x := range c.externUsers[k] {
		at, known := c.told[x]
		if !known {
			continue
		}
		if err := c.budget.spend("output", 1); err != nil {
			return err
		}
		if furthest.id != nil && furthest.end > at {
			c.verdict.add(c.sharedFinding(SharedOverlap, x.id, at, "behind "+furthest.id.name,
				fmt.Sprintf("%s is at 0x%x, %d bytes long; %s uses both", furthest.id.name, furthest.start, furthest.id.size, k.name)))
		}
		if at > end {
			c.verdict.add(c.sharedFinding(SharedSize, x.id, at, "at most "+hex(end),
				fmt.Sprintf("the array begins behind the 0x%x bytes that %s asks for", end, k.name)))
		}
		if at%externAlign != 0 {
			c.verdict.add(c.sharedFinding(SymbolAlignment, x.id, at, "a multiple of 0x10", ""))
		}
	}
	return nil
}

// sharedEnd is how much shared memory a kernel's section asks for.
func (c *check) sharedEnd(k *identity) (uint64, bool) {
	a := c.byKey[areaKey{".nv.shared.", k.code}]
	if a == nil || a.out == nil || a.out.size < c.reserved {
		return 0, false
	}
	return a.out.size - c.reserved, true
}

// findExternUsers notes which arrays of unknown length a kernel's code names.
func (c *check) findExternUsers() error {
	c.externUsers = map[*identity][]toldKey{}
	for _, id := range c.ids {
		u := c.uses[id]
		if u == nil || id.function() || !id.externShared() {
			continue
		}
		for _, code := range u.functions {
			users, err := c.users(code)
			if err != nil {
				return err
			}
			for _, k := range users {
				c.externUsers[k] = append(c.externUsers[k], toldKey{id: id, code: code})
			}
			if err := c.budget.spend("output", uint64(len(users))); err != nil {
				return err
			}
		}
	}
	return nil
}
