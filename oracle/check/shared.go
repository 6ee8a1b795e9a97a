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
// st_value of such a symbol in an input is its alignment, not an offset. That of an
// array of unknown length is too from ptxas 13.4 on, and 0 before.
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
		return c.compareSharedSizes() // for places see placedEarly
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
	if err := c.findExterns(); err != nil {
		return err
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

// sharedAsked is how much shared memory of its own a kernel of an input asks for. nvlink
// 13.5's -r adds room in front of arrays of unknown length, and a second link another
// number, so of what it made only the variables count.
func (c *check) sharedAsked(m *module, asks *section) uint64 {
	if !slices.ContainsFunc(m.symbols, func(s symbol) bool { return s.name == externInstance }) {
		return asks.size
	}
	size := uint64(0)
	for _, id := range c.objectsIn.of(placeOf{m, asks.index}) {
		size += id.size
	}
	return min(size, asks.size)
}

// compareSharedSizes wants in a relocatable output what each input's kernel asks for: the final
// link adds to that.
func (c *check) compareSharedSizes() error {
	for _, m := range c.modules {
		for i := range m.sections {
			asks := &m.sections[i]
			if asks.kind != cuda.SHTCudaShared {
				continue
			}
			k := m.ownerOf(asks)
			a := c.byKey[areaKey{".nv.shared.", k}]
			if k == nil || a == nil || a.out == nil || !k.live || k.disposition != won {
				continue
			}
			if size := c.sharedAsked(m, asks); a.out.size < size {
				c.verdict.add(Finding{Kind: SharedSize, File: m.name, Section: a.out.name, Symbol: k.owner.String(), Want: "at least " + hex(size), Got: hex(a.out.size)})
			}
		}
	}
	return nil
}

// sharedSets joins what the components of the call graph use, those that call nothing
// first.
func (c *check) sharedSets(own map[int32][]sharedUse) ([]*joined, error) {
	g := c.graph
	sets := make([]*joined, len(g.groups))
	if len(own) == 0 {
		return sets, nil
	}
	choices := map[string]*joined{} // by what was joined
	for i, members := range g.groups {
		var below []int32
		seen := map[*joined]bool{nil: true}
		j := joins{steps: 1}
		for _, x := range members {
			for _, y := range g.next[x] {
				j.steps++
				if s := sets[g.group[y]]; !seen[s] {
					seen[s] = true
					below = append(below, g.group[y])
				}
			}
		}
		var key string
		if len(own[int32(i)]) == 0 && len(below) > 1 {
			key = numbersOf(below)
			sets[i] = choices[key]
		}
		if sets[i] == nil {
			for _, y := range below {
				sets[i] = j.join(sets[i], sets[y])
			}
			for _, u := range own[int32(i)] {
				sets[i] = j.join(sets[i], one(u))
			}
		}
		if key != "" {
			choices[key] = sets[i]
		}
		if err := c.budget.spend("output", j.steps); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// numbersOf names a choice of components.
func numbersOf(list []int32) string {
	slices.Sort(list)
	var key []byte
	for _, n := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
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
func (c *check) compareSharedOf(k *identity, set *joined) error {
	end, ok := c.sharedEnd(k)
	if set == nil {
		return c.compareExterns(k, sharedUse{}, end)
	}
	if !ok || set.furthest.end > end {
		for _, u := range set.all() {
			if !ok || u.end > end {
				c.verdict.add(c.sharedFinding(SharedSize, u.id, u.start, "inside",
					fmt.Sprintf("the kernel %s asks for 0x%x bytes of shared memory, and the variable is %d bytes long", k.name, end, u.id.size)))
			}
		}
		if err := c.budget.spend("output", uint64(set.count)); err != nil {
			return err
		}
	}
	if set.overlap && !c.overlapsTold[set] {
		if c.overlapsTold == nil {
			c.overlapsTold = map[*joined]bool{}
		}
		c.overlapsTold[set] = true
		if err := c.compareOverlaps(k, set); err != nil {
			return err
		}
	}
	return c.compareExterns(k, set.furthest, end)
}

// compareOverlaps tells which variables of a set lie on each other; k uses them.
func (c *check) compareOverlaps(k *identity, set *joined) error {
	var furthest sharedUse
	for i, u := range set.all() {
		if i > 0 && u.start < furthest.end && u.end > u.start {
			c.verdict.add(c.sharedFinding(SharedOverlap, u.id, u.start, "apart from "+furthest.id.name,
				fmt.Sprintf("the kernel %s uses this variable and %s, which is at 0x%x and %d bytes long", k.name, furthest.id.name, furthest.start, furthest.id.size)))
		}
		if i == 0 || u.end > furthest.end {
			furthest = u
		}
	}
	return c.budget.spend("output", uint64(set.count))
}

// compareExterns looks at the arrays of unknown length that the code names which a
// kernel reaches: all, where the first of them lies too far in front or the last too
// far behind.
func (c *check) compareExterns(k *identity, furthest sharedUse, end uint64) error {
	if c.arrays == nil {
		return nil
	}
	if at := c.arrays.reach[c.graph.group[k.node]]; at.to == 0 || at.from >= furthest.end && at.to-1 <= end {
		return nil
	}
	steps := c.graph.walk([]int32{k.node}, c.graph.next, func(n int32) {
		if int(n) >= len(c.graph.functions) || c.graph.functions[n].code == nil {
			return
		}
		for _, x := range c.arrays.of[c.graph.functions[n].code] {
			at := c.told[x]
			if furthest.id != nil && furthest.end > at {
				c.verdict.add(c.sharedFinding(SharedOverlap, x.id, at, "behind "+furthest.id.name,
					fmt.Sprintf("the kernel %s uses this variable and %s, which is at 0x%x and %d bytes long", k.name, furthest.id.name, furthest.start, furthest.id.size)))
			}
			if at > end {
				c.verdict.add(c.sharedFinding(SharedSize, x.id, at, "at most "+hex(end),
					fmt.Sprintf("the array begins behind the 0x%x bytes that %s asks for", end, k.name)))
			}
		}
	})
	return c.budget.spend("output", steps)
}

// sharedEnd is how much shared memory a kernel's section asks for.
func (c *check) sharedEnd(k *identity) (uint64, bool) {
	a := c.byKey[areaKey{".nv.shared.", k.code}]
	if a == nil || a.out == nil || a.out.size < c.reserved {
		return 0, false
	}
	return a.out.size - c.reserved, true
}

// externArrays are the arrays of unknown length in shared memory whose place is known.
type externArrays struct {
	of    map[*body][]toldKey // by the code that names them
	reach []span              // by component of the call graph: from the first place to behind the last, of all that it reaches
}

// findExterns notes which arrays of unknown length the code names that a kernel reaches,
// and looks at each place by itself.
func (c *check) findExterns() error {
	e := externArrays{of: map[*body][]toldKey{}}
	for _, id := range c.ids {
		u := c.uses[id]
		if u == nil || id.function() || !id.externShared() {
			continue
		}
		if err := c.budget.spend("output", uint64(len(u.functions))); err != nil {
			return err
		}
		for _, code := range u.functions {
			key := toldKey{id: id, code: code}
			at, known := c.told[key]
			if !known || !slices.ContainsFunc(code.names, func(f *identity) bool { return f.reached }) || c.withoutPlace(id, at) {
				continue
			}
			if align := max(externAlign, c.aligned[key]); at%align != 0 {
				f, err := c.misaligned(code, id, at, align)
				if err != nil {
					return err
				}
				c.verdict.add(f)
			}
			e.of[code] = append(e.of[code], key)
		}
	}
	if len(e.of) == 0 {
		return nil
	}
	c.arrays = &e
	return c.joinExterns()
}

// noteAlignment keeps what the code's own module asks for an array: another module may
// ask for more, and its code alone counts on it. The value of a stand-in is a place.
func (c *check) noteAlignment(code *body, id *identity, s *symbol) {
	if key := (toldKey{id: id, code: code}); id.externShared() && !id.standIn() && s.value&(s.value-1) == 0 && s.value > c.aligned[key] {
		c.aligned[key] = s.value
	}
}

// misaligned names the code and a kernel that runs it.
func (c *check) misaligned(code *body, id *identity, at, align uint64) (Finding, error) {
	who := "the kernel " + code.names[0].name
	if !code.kernel() {
		users, err := c.users(code)
		if err != nil {
			return Finding{}, err
		}
		if who = "the function " + code.names[0].name; len(users) > 0 {
			who += ", which the kernel " + users[0].name + " reaches,"
		}
	}
	f := c.sharedFinding(SymbolAlignment, id, at, "a multiple of "+hex(align),
		fmt.Sprintf("%s uses %s at 0x%x, which is no multiple of its alignment of %d bytes", who, id.name, at, align))
	f.Section = code.section.name
	return f, nil
}

// joinExterns finds how far the arrays reach that a component and all it calls name.
func (c *check) joinExterns() error {
	g := c.graph
	c.arrays.reach = make([]span, len(g.groups))
	for i, members := range g.groups {
		all, steps := span{from: 1<<64 - 1}, 1
		for _, x := range members {
			if int(x) < len(g.functions) && g.functions[x].code != nil {
				for _, key := range c.arrays.of[g.functions[x].code] {
					at := c.told[key]
					all = span{min(all.from, at), max(all.to, at+1)}
					steps++
				}
			}
			for _, y := range g.next[x] {
				below := c.arrays.reach[g.group[y]]
				if steps++; below.to > 0 {
					all = span{min(all.from, below.from), max(all.to, below.to)}
				}
			}
		}
		c.arrays.reach[i] = all
		if err := c.budget.spend("output", uint64(steps)); err != nil {
			return err
		}
	}
	return nil
}
