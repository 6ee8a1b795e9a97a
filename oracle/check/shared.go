package check

import (
	"cmp"
	"encoding/binary"
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

// sharedSet is the shared variables that a function and all it may call use, by place.
// Functions that add none share the set of what they call.
type sharedSet struct {
	number   uint64
	uses     []sharedUse
	furthest sharedUse // that ends last
	told     bool      // its overlaps were told
}

// sharedUse is a shared variable at its place.
type sharedUse struct {
	id         *identity
	start, end uint64
}

func (u sharedUse) compare(o sharedUse) int {
	if n := cmp.Compare(u.start, o.start); n != 0 {
		return n
	}
	return cmp.Compare(u.id.order, o.id.order)
}

// compareShared holds the places of shared variables against each other, kernel
// by kernel.
func (c *check) compareShared() error {
	if c.relocatable {
		return nil // see placedEarly
	}
	own := map[int32][]sharedUse{} // by component of the call graph
	for _, id := range c.shared {
		at, known := c.told[toldKey{id: id}]
		if !known || c.withoutPlace(id, at) {
			continue
		}
		if at%max(id.align, 1) != 0 {
			c.verdict.add(c.sharedFinding(SymbolAlignment, id, at, "a multiple of "+hex(id.align), ""))
		}
		reached := false
		for _, code := range c.uses[id].functions {
			for _, f := range code.names {
				group := c.graph.group[f.node]
				if n := len(own[group]); n == 0 || own[group][n-1].id != id {
					own[group] = append(own[group], sharedUse{id, at, at + id.size})
				}
				reached = reached || f.reached
			}
		}
		if c.options.ReserveNull && at == 0 && reached {
			c.verdict.add(c.sharedFinding(SharedPlace, id, at, "another place than 0", "--reserve-null-pointer keeps it"))
		}
		if err := c.budget.spend("output", uint64(len(c.uses[id].functions))); err != nil {
			return err
		}
	}
	sets, err := c.sharedSets(own)
	if err != nil {
		return err
	}
	for _, k := range c.kernels {
		if err := c.compareSharedOf(k, sets[c.graph.group[k.node]]); err != nil {
			return err
		}
	}
	return nil
}

// sharedSets joins what the components of the call graph use, those that call nothing
// first.
func (c *check) sharedSets(own map[int32][]sharedUse) ([]*sharedSet, error) {
	g := c.graph
	sets := make([]*sharedSet, len(g.groups))
	if len(own) == 0 {
		return sets, nil
	}
	joined := map[string]*sharedSet{} // by the numbers of what was joined
	for i, members := range g.groups {
		var below []*sharedSet
		seen := map[*sharedSet]bool{nil: true}
		steps := 1
		for _, x := range members {
			for _, y := range g.next[x] {
				steps++
				if s := sets[g.group[y]]; !seen[s] {
					seen[s] = true
					below = append(below, s)
				}
			}
		}
		uses := own[int32(i)]
		key := ""
		if len(uses) == 0 {
			key = numbersOf(below)
		}
		switch {
		case len(uses)+len(below) == 0:
		case len(uses) == 0 && len(below) == 1:
			sets[i] = below[0]
		case joined[key] != nil:
			sets[i] = joined[key]
		default:
			for _, s := range below {
				uses = append(uses, s.uses...)
			}
			steps += len(uses)
			sets[i] = newSharedSet(uint64(i), uses)
			if key != "" {
				joined[key] = sets[i]
			}
		}
		if err := c.budget.spend("output", uint64(steps)); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// numbersOf names a choice of sets.
func numbersOf(list []*sharedSet) string {
	slices.SortFunc(list, func(x, y *sharedSet) int { return cmp.Compare(x.number, y.number) })
	var key []byte
	for _, s := range list {
		key = binary.LittleEndian.AppendUint64(key, s.number)
	}
	return string(key)
}

func newSharedSet(number uint64, uses []sharedUse) *sharedSet {
	slices.SortFunc(uses, sharedUse.compare)
	s := &sharedSet{number: number, uses: slices.Compact(uses)}
	for i, u := range s.uses {
		if i == 0 || u.end > s.furthest.end {
			s.furthest = u
		}
	}
	return s
}

// withoutPlace tells of a field that is all ones.
func (c *check) withoutPlace(id *identity, at uint64) bool {
	if at != 1<<16-1 && at != 1<<24-1 && at != 1<<32-1 {
		return false
	}
	c.verdict.add(c.sharedFinding(SharedPlace, id, at, "a place in shared memory", "all ones: the code was written before the variable had a place, and no record asks for it"))
	return true
}

func (c *check) sharedFinding(kind Kind, id *identity, at uint64, want, detail string) Finding {
	f := Finding{Kind: kind, File: id.file, Symbol: id.name, Want: want, Got: hex(at), Detail: detail}
	if u := c.uses[id]; u != nil && len(u.functions) > 0 {
		f.Section = u.functions[0].section.name
	}
	return f
}

// compareSharedOf looks at the variables of one kernel.
func (c *check) compareSharedOf(k *identity, set *sharedSet) error {
	end, ok := c.sharedEnd(k)
	if set == nil {
		return c.compareExterns(k, sharedUse{}, end)
	}
	if !ok || set.furthest.end > end {
		for _, u := range set.uses {
			if !ok || u.end > end {
				c.verdict.add(c.sharedFinding(SharedSize, u.id, u.start, "inside",
					fmt.Sprintf("the kernel %s asks for 0x%x bytes of shared memory, and the variable is %d bytes long", k.name, end, u.id.size)))
			}
		}
		if err := c.budget.spend("output", uint64(len(set.uses))); err != nil {
			return err
		}
	}
	if !set.told {
		set.told = true
		if err := c.compareOverlaps(k, set); err != nil {
			return err
		}
	}
	return c.compareExterns(k, set.furthest, end)
}

// compareOverlaps tells which variables of a set lie on each other; k uses them.
func (c *check) compareOverlaps(k *identity, set *sharedSet) error {
	var furthest sharedUse
	for i, u := range set.uses {
		if i > 0 && u.start < furthest.end && u.end > u.start {
			c.verdict.add(c.sharedFinding(SharedOverlap, u.id, u.start, "apart from "+furthest.id.name,
				fmt.Sprintf("the kernel %s uses this variable and %s, which is at 0x%x and %d bytes long", k.name, furthest.id.name, furthest.start, furthest.id.size)))
		}
		if i == 0 || u.end > furthest.end {
			furthest = u
		}
	}
	return c.budget.spend("output", uint64(len(set.uses)))
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
		if c.withoutPlace(x.id, at) {
			continue
		}
		if furthest.id != nil && furthest.end > at {
			c.verdict.add(c.sharedFinding(SharedOverlap, x.id, at, "behind "+furthest.id.name,
				fmt.Sprintf("the kernel %s uses this variable and %s, which is at 0x%x and %d bytes long", k.name, furthest.id.name, furthest.start, furthest.id.size)))
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
