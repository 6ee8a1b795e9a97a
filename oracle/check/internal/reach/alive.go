package reach

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What stays: what kernels reach, and what may be called or named besides.

// Alive decides which functions must be in the output.
func (c *Reach) Alive() error {
	c.Takers = map[string][]*link.Identity{}
	if err := c.makeGraph(); err != nil {
		return err
	}
	var from []int32
	for _, f := range c.Graph.Functions {
		if f.Kernel() && c.kept(f) {
			c.Kernels = append(c.Kernels, f)
			f.Asked = true
			from = append(from, f.Node)
		}
		f.Live = f.Taken && (!f.Kernel() || c.Options.HostUse != nil)
	}
	steps := c.Graph.Walk(from, c.Graph.Next, func(n int32) {
		if int(n) < len(c.Graph.Functions) {
			f := c.Graph.Functions[n]
			f.Live, f.Reached = true, true
		}
	})
	if err := c.forgetTaken(); err != nil {
		return err
	}
	c.keepPresent()
	for _, m := range c.Modules {
		m.Holes = nil // they depend on what is there
	}
	for _, f := range c.Graph.Functions {
		if f.Code == nil || !f.Live {
			continue
		}
		f.Code.Live = true
		for _, y := range f.Calls.List {
			y.Named = true
		}
	}
	return c.Budget.Spend("", steps)
}

// forgetTaken lets go of functions with several definitions whose address is taken by
// nothing that is there: which definition's call graph says so is up to the linker.
func (c *Reach) forgetTaken() error {
	open := map[*link.Identity]bool{}
	for _, f := range c.Graph.Functions {
		if f.Taken && f.Several && f.Live && !f.Reached {
			open[f] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	for _, m := range c.Modules {
		if err := c.Budget.Spend(m.Name, uint64(len(open))); err != nil {
			return err
		}
		for f := range open {
			if c.pointsTo(m, f) {
				delete(open, f)
			}
		}
		for _, list := range m.Relocs {
			code := m.Bodies[list.Target]
			if code == nil || code.Disposition != link.Won || code.Owner == nil || !code.Owner.Live {
				continue
			}
			for _, r := range list.List {
				if id := m.Refs[r.Symbol].ID.First(); open[id] && id != code.Owner {
					delete(open, id)
				}
			}
			if err := c.Budget.Spend(m.Name, uint64(len(list.List))); err != nil {
				return err
			}
		}
	}
	for f := range open {
		f.Live = false
	}
	return nil
}

// keepPresent takes functions that nothing reaches for live where the output
// has them: a linker may keep what it could omit. Those that an option
// asks for are looked for first.
func (c *Reach) keepPresent() {
	present := map[string][]*image.Section{}
	count := map[string]int{}
	for i := range c.Out.Sections {
		if s := &c.Out.Sections[i]; link.IsCode(s) {
			present[s.Name] = append(present[s.Name], s)
			count[s.Name]++
		}
	}
	for _, f := range c.Graph.Functions {
		if f.Code != nil && f.Live && f.First() == f {
			count[f.Code.Section.Name]--
		}
	}
	mayTake := func(f *link.Identity, alike bool) bool {
		if f.Code == nil || f.Live || f.First() != f {
			return false
		}
		name := f.Code.Section.Name
		return count[name] > 0 && (!alike || slices.ContainsFunc(present[name], func(s *image.Section) bool { return c.mayBe(f.Code, s) }))
	}
	// Static functions of several inputs have one name: those that others call which are
	// there go first.
	var queue []*link.Identity
	for _, f := range c.Graph.Functions {
		if !f.Local && mayTake(f, true) {
			queue = append(queue, f)
		} else if f.Live && !f.Reached {
			queue = append(queue, f.Calls.List...)
		}
		for ; len(queue) > 0; queue = queue[1:] {
			if f := queue[0]; mayTake(f, true) {
				count[f.Code.Section.Name]--
				f.Live = true
				queue = append(queue, f.Calls.List...)
			}
		}
	}
	// Of several with one name that one whose code is there.
	for _, alike := range [...]bool{true, false} {
		for _, f := range c.Graph.Functions {
			if mayTake(f, alike) {
				count[f.Code.Section.Name]--
				f.Live = true
			} else if f.Code == nil || f.Live || f.First() != f {
				continue
			} else if c.Options.Relocatable && c.Relocatable {
				f.Live = true // a later link may ask for it
			}
		}
	}
	for _, f := range c.Graph.Functions {
		if first := f.First(); first != f && first.Live {
			f.Live = true
		}
	}
}

// mayBe reports whether a section of the output may be the code: where words may have
// moved, any may.
func (c *Reach) mayBe(b *link.Body, s *image.Section) bool {
	if b.Mod.Side != image.Whole {
		return true
	}
	if err := c.Budget.Spend("output", 1+s.Size/64); err != nil {
		c.Exhausted = err
		return true
	}
	return b.Section.Size == s.Size && b.Mod.Alike(b.Section, 0, s.Size, s.Body, 0)
}

// kept applies what the host refers to, and -kernels-used: names are searched for the items given. It has no
// effect with -g, unless with -suppress-debug-info. With --preserve-relocs the others stay, but count for nothing.
func (c *Reach) kept(k *link.Identity) bool {
	if h := c.Options.HostUse; h != nil && !c.Options.Debugs() {
		return h.Names(k.Name, k.Local) || k.Taken && c.countNamed(h) != 1
	}
	if !c.Options.Filters() || c.Options.Debugs() {
		return true
	}
	return slices.ContainsFunc(c.Options.KernelsUsed, func(item string) bool { return strings.Contains(k.Name, item) })
}

// kernelsReaching lists the kernels that reach some of the functions.
func (c *Reach) kernelsReaching(functions []*link.Identity) ([]*link.Identity, error) {
	var from []int32
	for _, f := range functions {
		from = append(from, f.Node)
	}
	var list []*link.Identity
	steps := c.Graph.Walk(from, c.Graph.before, func(n int32) {
		if int(n) < len(c.Graph.Functions) {
			if f := c.Graph.Functions[n]; f.Asked {
				list = append(list, f)
			}
		}
	})
	slices.SortFunc(list, func(a, b *link.Identity) int { return a.Order - b.Order })
	return list, c.Budget.Spend("", steps)
}

// countNamed counts the kernels that the host refers to: where it is one alone,
// nvlink takes a kernel whose address is taken for a device function.
func (c *Reach) countNamed(h *verdict.HostUse) int {
	if c.hostNamed == 0 {
		c.hostNamed = 1
		for _, f := range c.IDs {
			if f.Function() && f.Kernel() && h.Names(f.Name, f.Local) {
				c.hostNamed++
			}
		}
	}
	return c.hostNamed - 1
}
