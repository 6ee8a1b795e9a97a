package shared

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Shared memory.
//
// A variable of .nv.shared.k belongs to one kernel; those of .nv_debug.shared
// belong to nobody and may be used by several kernels through common functions,
// at one place for all of them. None of the symbols is left in a plain link; only
// the fields tell, see evidence.go of package place. Any choice will do under which no two
// variables that one kernel uses share bytes, each is aligned, and all lie below
// the end of the kernel's section. What has no known length begins after the
// others and not past the end of the section, where the driver puts the room
// for it.
//
// st_value of such a symbol in an input is its alignment, not an offset. That of an
// array of unknown length is too from ptxas 13.4 on, and 0 before.
//
// Source: 318 links of random shared variables by nvlink 11.8.89 to 13.0.88.

const (
	externAlign = 16
)

// compareShared holds the places of shared variables against each other, kernel
// by kernel.
func (c *check) compareShared() error {
	c.compareSizes()
	if c.Relocatable {
		return c.compareSharedSizes() // for places see placedEarly
	}
	own := map[int32][]place.SharedUse{} // by component of the call graph
	for _, id := range c.Shared {
		at, known := c.Observed[link.ObservedKey{ID: id}]
		if !known || c.withoutPlace(id, at) {
			continue
		}
		if at%max(id.Align, 1) != 0 {
			c.Verdict.Add(c.sharedFinding(verdict.SymbolAlignment, id, at, "a multiple of "+verdict.Hex(id.Align), ""))
		}
		reached := false
		for _, code := range c.Uses[id].Functions {
			for _, f := range code.Names {
				group := c.Graph.Group[f.Node]
				if n := len(own[group]); n == 0 || own[group][n-1].ID != id {
					own[group] = append(own[group], place.SharedUse{ID: id, Start: at, End: at + id.Size})
				}
				reached = reached || f.Reached
			}
		}
		if c.Options.ReserveNull && at == 0 && reached {
			c.Verdict.Add(c.sharedFinding(verdict.SharedPlace, id, at, "an offset other than 0", "--reserve-null-pointer reserves offset 0"))
		}
		if err := c.Budget.Spend("output", uint64(len(c.Uses[id].Functions))); err != nil {
			return err
		}
	}
	c.addNameless(own)
	if err := c.findExterns(); err != nil {
		return err
	}
	sets, err := c.sharedSets(own)
	if err != nil {
		return err
	}
	for _, k := range c.Kernels {
		if err := c.compareSharedOf(k, sets[c.Graph.Group[k.Node]]); err != nil {
			return err
		}
	}
	return c.compareDriverSizes(sets)
}

// sharedAsked is how much shared memory of its own a kernel of an input asks for. nvlink
// 13.5's -r adds room before arrays of unknown length, and a second link another
// number, so of what it made only the variables count.
func (c *check) sharedAsked(m *link.Module, asks *image.Section) uint64 {
	if !slices.ContainsFunc(m.Symbols, func(s image.Symbol) bool { return s.Name == link.ExternInstance }) {
		return asks.Size
	}
	size := uint64(0)
	for _, id := range c.ObjectsIn.Of(link.PlaceOf{Mod: m, Section: asks.Index}) {
		size += id.Size
	}
	return min(size, asks.Size)
}

// compareSharedSizes wants in a relocatable output what each input's kernel asks for: the final
// link adds to that.
func (c *check) compareSharedSizes() error {
	namesakes := map[string]int{} // kernels by name
	for _, k := range c.Kernels {
		namesakes[k.Name]++
	}
	for _, m := range c.Modules {
		for i := range m.Sections {
			asks := &m.Sections[i]
			if asks.Kind != cuda.SHTCudaShared {
				continue
			}
			k := m.OwnerOf(asks)
			a := c.ByKey[link.AreaKey{Base: ".nv.shared.", Owner: k}]
			if k == nil || !k.Live || k.Disposition != link.Won {
				continue
			}
			size, has := c.sharedAsked(m, asks), uint64(0)
			switch {
			case a != nil && a.Out != nil:
				has = a.Out.Size
			case namesakes[k.Owner.Name] > 1:
				continue // static kernels: the other's section is found by the name, and which one's it is isn't said
			}
			if has < size {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SharedSize, File: m.Name, Section: asks.Name, Symbol: k.Owner.String(), Want: "at least " + verdict.Hex(size), Got: verdict.Hex(has)})
			}
		}
	}
	return nil
}

// sharedSets joins what the components of the call graph use, those that call nothing
// first.
func (c *check) sharedSets(own map[int32][]place.SharedUse) ([]*joined, error) {
	g := c.Graph
	sets := make([]*joined, len(g.Groups))
	if len(own) == 0 {
		return sets, nil
	}
	choices := map[string]*joined{} // by what was joined
	for i, members := range g.Groups {
		var below []int32
		seen := map[*joined]bool{nil: true}
		j := joins{steps: 1}
		for _, x := range members {
			for _, y := range g.Next[x] {
				j.steps++
				if s := sets[g.Group[y]]; !seen[s] {
					seen[s] = true
					below = append(below, g.Group[y])
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
		if err := c.Budget.Spend("output", j.steps); err != nil {
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
func (c *check) withoutPlace(id *link.Identity, at uint64) bool {
	if at != 1<<16-1 && at != 1<<24-1 && at != 1<<32-1 {
		return false
	}
	c.Verdict.Add(c.sharedFinding(verdict.SharedPlace, id, at, "an offset in shared memory", "all ones: the code was written before the variable had an offset, and there is no record for it"))
	return true
}

func (c *check) sharedFinding(kind verdict.Kind, id *link.Identity, at uint64, want, detail string) verdict.Finding {
	f := verdict.Finding{Kind: kind, File: id.File, Symbol: id.Name, Want: want, Got: verdict.Hex(at), Detail: detail}
	if u := c.Uses[id]; u != nil && len(u.Functions) > 0 {
		f.Section = u.Functions[0].Section.Name
	}
	return f
}

// compareSharedOf looks at the variables of one kernel.
func (c *check) compareSharedOf(k *link.Identity, set *joined) error {
	end := c.sharedEnd(k)
	if set == nil {
		return c.compareExterns(k, place.SharedUse{}, end)
	}
	if set.furthest.End > end {
		for _, u := range set.all() {
			if u.End > end {
				c.Verdict.Add(c.sharedFinding(verdict.SharedSize, u.ID, u.Start, "inside",
					fmt.Sprintf("the kernel %s reserves 0x%x bytes of shared memory, but the variable is %d bytes long", k.Name, end, u.ID.Size)))
			}
		}
		if err := c.Budget.Spend("output", uint64(set.count)); err != nil {
			return err
		}
	}
	if set.overlap && !c.overlapsObserved[set] {
		if c.overlapsObserved == nil {
			c.overlapsObserved = map[*joined]bool{}
		}
		c.overlapsObserved[set] = true
		if err := c.compareOverlaps(k, set); err != nil {
			return err
		}
	}
	return c.compareExterns(k, set.furthest, end)
}

// compareOverlaps says which variables of a set lie on each other; k uses them.
func (c *check) compareOverlaps(k *link.Identity, set *joined) error {
	var furthest place.SharedUse
	for _, u := range set.all() {
		if u.Start < furthest.End && u.End > u.Start {
			c.Verdict.Add(c.sharedFinding(verdict.SharedOverlap, u.ID, u.Start, "apart from "+furthest.ID.Name,
				fmt.Sprintf("the kernel %s uses this variable and %s, which is at 0x%x and %d bytes long", k.Name, furthest.ID.Name, furthest.Start, furthest.ID.Size)))
		}
		if u.End > furthest.End {
			furthest = u
		}
	}
	return c.Budget.Spend("output", uint64(set.count))
}

// compareExterns looks at the arrays of unknown length that the code names which a
// kernel reaches: all, where the first of them lies too far in front or the last too
// far after.
func (c *check) compareExterns(k *link.Identity, furthest place.SharedUse, end uint64) error {
	if c.arrays == nil {
		return nil
	}
	if at := c.arrays.reach[c.Graph.Group[k.Node]]; at.To == 0 || at.From >= furthest.End && at.To-1 <= end {
		return nil
	}
	steps := c.Graph.Walk([]int32{k.Node}, c.Graph.Next, func(n int32) {
		if int(n) >= len(c.Graph.Functions) || c.Graph.Functions[n].Code == nil {
			return
		}
		for _, x := range c.arrays.of[c.Graph.Functions[n].Code] {
			at := c.Observed[x]
			if furthest.ID != nil && furthest.End > at {
				c.Verdict.Add(c.sharedFinding(verdict.SharedOverlap, x.ID, at, "behind "+furthest.ID.Name,
					fmt.Sprintf("the kernel %s uses this variable and %s, which is at 0x%x and %d bytes long", k.Name, furthest.ID.Name, furthest.Start, furthest.ID.Size)))
			}
			if at > end {
				c.Verdict.Add(c.sharedFinding(verdict.SharedSize, x.ID, at, "at most "+verdict.Hex(end),
					fmt.Sprintf("the array begins after the 0x%x bytes that %s reserves", end, k.Name)))
			}
		}
	})
	return c.Budget.Spend("output", steps)
}

// sharedEnd is how much shared memory a kernel's section asks for, 0 where there is none.
func (c *check) sharedEnd(k *link.Identity) uint64 {
	a := c.ByKey[link.AreaKey{Base: ".nv.shared.", Owner: k.Code}]
	if a == nil || a.Out == nil || a.Out.Size < c.Reserved {
		return 0
	}
	return a.Out.Size - c.Reserved
}

// findExterns notes which arrays of unknown length the code names that a kernel reaches,
// and looks at each place by itself.
func (c *check) findExterns() error {
	e := externArrays{of: map[*link.Body][]link.ObservedKey{}}
	for _, id := range c.IDs {
		u := c.Uses[id]
		if u == nil || id.Function() || !id.ExternShared() {
			continue
		}
		if err := c.Budget.Spend("output", uint64(len(u.Functions))); err != nil {
			return err
		}
		for _, code := range u.Functions {
			key := link.ObservedKey{ID: id, Code: code}
			at, known := c.Observed[key]
			if !known || !slices.ContainsFunc(code.Names, func(f *link.Identity) bool { return f.Reached }) || c.withoutPlace(id, at) {
				continue
			}
			if align := max(externAlign, c.Aligned[key]); at%align != 0 {
				f, err := c.misaligned(code, id, at, align)
				if err != nil {
					return err
				}
				c.Verdict.Add(f)
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

// misaligned names the code and a kernel that runs it.
func (c *check) misaligned(code *link.Body, id *link.Identity, at, align uint64) (verdict.Finding, error) {
	who := "the kernel " + code.Names[0].Name
	if !code.Kernel() {
		users, err := c.Users(code)
		if err != nil {
			return verdict.Finding{}, err
		}
		if who = "the function " + code.Names[0].Name; len(users) > 0 {
			who += ", which the kernel " + users[0].Name + " reaches,"
		}
	}
	f := c.sharedFinding(verdict.SymbolAlignment, id, at, "a multiple of "+verdict.Hex(align),
		fmt.Sprintf("%s uses %s at 0x%x, which is not a multiple of its alignment of %d bytes", who, id.Name, at, align))
	f.Section = code.Section.Name
	return f, nil
}

// joinExterns finds how far the arrays reach that a component and all it calls name.
func (c *check) joinExterns() error {
	g := c.Graph
	c.arrays.reach = make([]link.Span, len(g.Groups))
	for i, members := range g.Groups {
		all, steps := link.Span{From: 1<<64 - 1}, 1
		for _, x := range members {
			if int(x) < len(g.Functions) && g.Functions[x].Code != nil {
				for _, key := range c.arrays.of[g.Functions[x].Code] {
					at := c.Observed[key]
					all = link.Span{From: min(all.From, at), To: max(all.To, at+1)}
					steps++
				}
			}
			for _, y := range g.Next[x] {
				below := c.arrays.reach[g.Group[y]]
				if steps++; below.To > 0 {
					all = link.Span{From: min(all.From, below.From), To: max(all.To, below.To)}
				}
			}
		}
		c.arrays.reach[i] = all
		if err := c.Budget.Spend("output", uint64(steps)); err != nil {
			return err
		}
	}
	return nil
}

// externArrays are the arrays of unknown length in shared memory whose place is known.
type externArrays struct {
	of    map[*link.Body][]link.ObservedKey // by the code that names them
	reach []link.Span                       // by component of the call graph: from the first place to after the last, of all that it reaches
}
