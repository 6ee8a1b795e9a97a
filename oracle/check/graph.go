package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// What calls what, and what stays.
//
// A module's .nv.callgraph names direct calls, functions whose address is
// taken with their prototype, indirect calls with the prototype they go
// through, and which function takes whose address. Prototypes are strings, and
// an indirect call may reach every function of an equal one.
//
// What no kernel reaches is left out, but for functions whose address is
// taken; those stay without what they call. -g, --preserve-relocs and -r keep
// everything.
//
// Source: links of call programs by nvlink 11.8.89 to 13.0.88.

func (c *check) readCalls() error {
	for _, m := range c.modules {
		for _, p := range m.pairs {
			if err := c.readCall(m, p); err != nil {
				return err
			}
		}
		for _, p := range m.protos {
			x, err := c.caller(m, p.x)
			if err != nil {
				return err
			}
			name, _ := text(m.strings(), uint64(p.y))
			if x != nil && !x.typed {
				x.prototype = name
			}
		}
	}
	return nil
}

func (c *check) readCall(m *module, p pair) error {
	x, err := c.caller(m, p.x)
	if err != nil || x == nil {
		return err
	}
	switch p.heading {
	case cuda.CallgraphCalls, cuda.CallgraphEdges:
		y, err := c.caller(m, p.y)
		if err != nil || y == nil {
			return err
		}
		if !c.speaks(m, x) {
			return nil
		}
		list := &x.callees
		if p.heading == cuda.CallgraphEdges {
			// The taker's word counts even where the prototype comes from a
			// definition that lost.
			list, y.taken = &x.edges, true
		}
		if !slices.Contains(*list, y) {
			*list = append(*list, y)
		}
	case cuda.CallgraphPrototypes:
		if !c.speaks(m, x) {
			return nil
		}
		name, _ := text(m.strings(), uint64(p.y))
		if !x.typed {
			x.prototype = name
		}
		x.taken, x.typed = true, true
	case cuda.CallgraphIndirect:
		if !c.speaks(m, x) {
			return nil
		}
		name, _ := text(m.strings(), uint64(p.y))
		x.indirect = append(x.indirect, name)
	}
	return nil
}

// speaks reports whether a module has a word about a function: not where its
// definition lost. One that was replaced later still has.
func (c *check) speaks(m *module, x *identity) bool { return !m.silent[x] }

func (c *check) caller(m *module, index uint32) (*identity, error) {
	if int(index) >= len(m.refs) {
		return nil, &Refusal{Kind: BadRecords, File: m.name, Section: ".nv.callgraph", Value: uint64(index)}
	}
	return m.refs[index].id, nil
}

// calls visits what a function may call, each function once.
func (c *check) calls(f *identity, visit func(*identity)) {
	for _, y := range f.callees {
		visit(y)
	}
	for _, prototype := range f.indirect {
		for _, y := range c.takers[prototype] {
			visit(y)
		}
	}
}

// reach lists a function and everything it may call, in the order found.
func (c *check) reach(from *identity) []*identity {
	c.marks++
	from.mark = c.marks
	list := []*identity{from}
	for i := 0; i < len(list); i++ {
		c.calls(list[i], func(y *identity) {
			c.steps++
			if y.mark != c.marks {
				y.mark = c.marks
				list = append(list, y)
			}
		})
	}
	return list
}

// alive decides which functions stay.
func (c *check) alive() error {
	c.takers = map[string][]*identity{}
	for _, f := range c.ids {
		if f.function() && f.taken {
			c.takers[f.prototype] = append(c.takers[f.prototype], f)
		}
	}
	for _, f := range c.ids {
		if !f.function() {
			continue
		}
		switch {
		case f.kernel():
			if c.kept(f) {
				c.kernels = append(c.kernels, f)
			}
			f.live = c.keepAll || c.options.HostKernels != nil && f.taken
		case f.taken || c.keepAll:
			f.live = true
		}
	}
	for _, k := range c.kernels {
		for _, f := range c.reach(k) {
			f.live, f.reached = true, true
			f.users = append(f.users, k)
		}
		if err := c.budget.spend("", c.steps); err != nil {
			return err
		}
		c.steps = 0
	}
	for _, f := range c.ids {
		if f.code == nil || !f.live {
			continue
		}
		f.code.live = true
		for _, y := range f.callees {
			y.named = true
		}
	}
	return nil
}

// kept applies what the host refers to, and -kernels-used: names are searched for the items given. It has no
// effect with -g. With --preserve-relocs the others stay, but count for nothing.
func (c *check) kept(k *identity) bool {
	if h := c.options.HostKernels; h != nil && !c.options.Debug {
		return h.names(k.name, k.local) || k.taken && c.countNamed(h) != 1
	}
	if !c.options.FilterKernels || c.options.Debug {
		return true
	}
	return slices.ContainsFunc(c.options.KernelsUsed, func(item string) bool { return strings.Contains(k.name, item) })
}

// countNamed counts the kernels that the host refers to: where it is one alone,
// nvlink takes a kernel whose address is taken for a device function.
func (c *check) countNamed(h *HostKernels) int {
	n := 0
	for _, f := range c.ids {
		if f.function() && f.kernel() && h.names(f.name, f.local) {
			n++
		}
	}
	return n
}
