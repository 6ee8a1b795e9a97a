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
// an indirect call may reach every function of an equal one. In the graph a
// prototype is a node of its own, so that many callers through it and many
// functions of it cost their sum and not their product.
//
// What a kernel reaches must be in the output, and functions whose address is
// taken. What nothing reaches may be.
//
// Source: links of call programs by nvlink 11.8.89 to 13.0.88.

// callees is a list without doubles, in the order of insertion.
type callees struct {
	list []*identity
	set  map[*identity]bool
}

func (l *callees) add(y *identity) {
	if l.set == nil {
		l.set = map[*identity]bool{}
	}
	if !l.set[y] {
		l.set[y] = true
		l.list = append(l.list, y)
	}
}

func (c *check) readCalls() error {
	c.alsoNamed = map[*identity][]string{}
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
			if err := c.budget.spend(m.name, uint64(len(name))/16); err != nil {
				return err
			}
			if x != nil && !x.typed && c.speaks(m, x) {
				if x.code == nil && x.prototype != "" && x.prototype != name {
					c.alsoNamed[x] = append(c.alsoNamed[x], x.prototype)
				}
				x.prototype = name
			} else if x != nil {
				x.mayTell(name)
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
		switch edges := p.heading == cuda.CallgraphEdges; {
		case !c.speaks(m, x):
			x.mayCall.add(y)
		case edges:
			// The taker's word counts even where the prototype comes from a
			// definition that lost.
			x.edges.add(y)
			y.taken = true
		default:
			x.calls.add(y)
		}
	case cuda.CallgraphPrototypes:
		name, err := c.prototypeName(m, p.y)
		if err != nil {
			return err
		}
		if !c.speaks(m, x) && !c.pointsTo(m, x) {
			x.mayTell(name)
			return nil
		}
		if !x.typed {
			x.prototype = name
		}
		x.taken, x.typed = true, true
	case cuda.CallgraphIndirect:
		name, err := c.prototypeName(m, p.y)
		if err != nil {
			return err
		}
		if !c.speaks(m, x) {
			x.mayTell(name)
			return nil
		}
		x.indirect = append(x.indirect, name)
	}
	return nil
}

func (c *check) prototypeName(m *module, at uint32) (string, error) {
	name, _ := text(m.strings(), uint64(at))
	return name, c.budget.spend(m.name, uint64(len(name))/16)
}

// speaks reports whether a module's word about a function counts: where there are
// several definitions only that of the one that stands. What the others say may be
// there: nvlink drops it or not by the order of the inputs.
func (c *check) speaks(m *module, x *identity) bool {
	return !m.silent[x] && (!x.several || x.code == nil || x.code.mod == m)
}

// pointsTo reports whether data of a module that is there to stay holds the address of
// a function: whoever's definition won, it must be there, and whoever calls through
// its prototype may reach it. nvlink forgets it where the module's own definition lost.
func (c *check) pointsTo(m *module, x *identity) bool {
	if m.pointers == nil {
		m.pointers = map[*identity]bool{}
		for _, list := range m.relocs {
			s := &m.sections[list.target]
			if s.flags&cuda.SHFAlloc == 0 || isCode(s) || m.ownerOf(s) != nil {
				continue
			}
			for _, r := range list.list {
				if id := m.refs[r.symbol].id; id != nil && id.function() && !c.aboutLoser(m, list.target, r) {
					m.pointers[id] = true
				}
			}
		}
	}
	return m.pointers[x]
}

// mayTell notes a prototype that a definition which lost names.
func (d *identity) mayTell(prototype string) {
	if d.mayName == nil {
		d.mayName = map[string]bool{}
	}
	d.mayName[prototype] = true
}

func (c *check) caller(m *module, index uint32) (*identity, error) {
	if int(index) >= len(m.refs) {
		return nil, &Refusal{Kind: BadRecords, File: m.name, Section: ".nv.callgraph", Value: uint64(index)}
	}
	return m.refs[index].id, nil
}

// graph has a node for each function, and behind those one for each prototype.
type graph struct {
	functions []*identity
	next      [][]int32      // what a node may call
	before    [][]int32      // the same backwards
	group     []int32        // strongly connected component of a node
	groups    [][]int32      // their members, those that call nothing first
	maybe     map[int32]bool // prototypes that a definition which lost gives a function
	seen      []int32        // marks of walks
	mark      int32
}

func (c *check) makeGraph() error {
	g := &graph{}
	c.graph = g
	for _, f := range c.ids {
		if f.function() {
			f.node = int32(len(g.functions))
			g.functions = append(g.functions, f)
		}
	}
	prototypes := map[string]int32{}
	g.next = make([][]int32, len(g.functions))
	edges := 0
	nodeOf := func(prototype string) int32 {
		n, known := prototypes[prototype]
		if !known {
			n = int32(len(g.next))
			prototypes[prototype] = n
			g.next = append(g.next, nil)
		}
		return n
	}
	for _, f := range g.functions {
		if f.taken {
			n := nodeOf(f.prototype)
			g.next[n] = append(g.next[n], f.node)
			c.takers[f.prototype] = append(c.takers[f.prototype], f)
			edges++
		}
		for _, y := range f.calls.list {
			if y.function() {
				g.next[f.node] = append(g.next[f.node], y.node)
				edges++
			}
		}
		for _, prototype := range f.indirect {
			g.next[f.node] = append(g.next[f.node], nodeOf(prototype))
			edges++
		}
	}
	g.maybe = map[int32]bool{}
	for _, f := range g.functions {
		for prototype := range f.mayName {
			if n, known := prototypes[prototype]; known {
				g.maybe[n] = true
			}
		}
	}
	g.before = make([][]int32, len(g.next))
	for x, list := range g.next {
		for _, y := range list {
			g.before[y] = append(g.before[y], int32(x))
		}
	}
	g.seen = make([]int32, len(g.next))
	g.components()
	return c.budget.spend("", uint64(len(g.next)+edges))
}

// components finds the strongly connected components (Tarjan), with a stack of
// its own: a chain of calls may be as long as the program.
func (g *graph) components() {
	n := len(g.next)
	g.group = make([]int32, n)
	index, low := make([]int32, n), make([]int32, n)
	type frame struct{ node, edge int32 }
	var open []int32
	var walk []frame
	count := int32(0)
	for root := range int32(n) {
		if index[root] != 0 {
			continue
		}
		walk = append(walk, frame{root, 0})
		for len(walk) > 0 {
			f := &walk[len(walk)-1]
			x := f.node
			if f.edge == 0 {
				count++
				index[x], low[x] = count, count
				open = append(open, x)
			}
			if int(f.edge) < len(g.next[x]) {
				y := g.next[x][f.edge]
				f.edge++
				if index[y] == 0 {
					walk = append(walk, frame{y, 0})
				} else if index[y] > 0 {
					low[x] = min(low[x], index[y])
				}
				continue
			}
			walk = walk[:len(walk)-1]
			if len(walk) > 0 {
				up := walk[len(walk)-1].node
				low[up] = min(low[up], low[x])
			}
			if low[x] != index[x] {
				continue
			}
			var members []int32
			for {
				y := open[len(open)-1]
				open = open[:len(open)-1]
				index[y] = -1 // done: no longer open
				g.group[y] = int32(len(g.groups))
				members = append(members, y)
				if y == x {
					break
				}
			}
			g.groups = append(g.groups, members)
		}
	}
}

// walk visits every node that some of the nodes reach along the edges.
func (g *graph) walk(from []int32, edges [][]int32, visit func(int32)) (steps uint64) {
	g.mark++
	list := slices.Clone(from)
	for _, x := range list {
		g.seen[x] = g.mark
	}
	for i := 0; i < len(list); i++ {
		visit(list[i])
		for _, y := range edges[list[i]] {
			steps++
			if g.seen[y] != g.mark {
				g.seen[y] = g.mark
				list = append(list, y)
			}
		}
	}
	return steps + uint64(len(list))
}

// alive decides which functions must be in the output.
func (c *check) alive() error {
	c.takers = map[string][]*identity{}
	if err := c.makeGraph(); err != nil {
		return err
	}
	var from []int32
	for _, f := range c.graph.functions {
		if f.kernel() && c.kept(f) {
			c.kernels = append(c.kernels, f)
			f.asked = true
			from = append(from, f.node)
		}
		f.live = f.taken && (!f.kernel() || c.options.HostUse != nil)
	}
	steps := c.graph.walk(from, c.graph.next, func(n int32) {
		if int(n) < len(c.graph.functions) {
			f := c.graph.functions[n]
			f.live, f.reached = true, true
		}
	})
	if err := c.forgetTaken(); err != nil {
		return err
	}
	c.keepPresent()
	for _, m := range c.modules {
		m.holes = nil // they depend on what is there
	}
	for _, f := range c.graph.functions {
		if f.code == nil || !f.live {
			continue
		}
		f.code.live = true
		for _, y := range f.calls.list {
			y.named = true
		}
	}
	return c.budget.spend("", steps)
}

// forgetTaken lets go of functions with several definitions whose address is taken by
// nothing that is there: which definition's call graph says so is up to the linker.
func (c *check) forgetTaken() error {
	open := map[*identity]bool{}
	for _, f := range c.graph.functions {
		if f.taken && f.several && f.live && !f.reached {
			open[f] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	for _, m := range c.modules {
		if err := c.budget.spend(m.name, uint64(len(open))); err != nil {
			return err
		}
		for f := range open {
			if c.pointsTo(m, f) {
				delete(open, f)
			}
		}
		for _, list := range m.relocs {
			code := m.bodies[list.target]
			if code == nil || code.disposition != won || code.owner == nil || !code.owner.live {
				continue
			}
			for _, r := range list.list {
				if id := m.refs[r.symbol].id.first(); open[id] && id != code.owner {
					delete(open, id)
				}
			}
			if err := c.budget.spend(m.name, uint64(len(list.list))); err != nil {
				return err
			}
		}
	}
	for f := range open {
		f.live = false
	}
	return nil
}

// keepPresent takes functions that nothing reaches for live where the output
// has them: a linker may keep what it could leave out. Those that an option
// asks for are looked for first.
func (c *check) keepPresent() {
	present := map[string][]*section{}
	count := map[string]int{}
	for i := range c.out.sections {
		if s := &c.out.sections[i]; isCode(s) {
			present[s.name] = append(present[s.name], s)
			count[s.name]++
		}
	}
	for _, f := range c.graph.functions {
		if f.code != nil && f.live && f.first() == f {
			count[f.code.section.name]--
		}
	}
	mayTake := func(f *identity, alike bool) bool {
		if f.code == nil || f.live || f.first() != f {
			return false
		}
		name := f.code.section.name
		return count[name] > 0 && (!alike || slices.ContainsFunc(present[name], func(s *section) bool { return c.mayBe(f.code, s) }))
	}
	// Static functions of several inputs have one name: those that others call which are
	// there go first.
	var queue []*identity
	for _, f := range c.graph.functions {
		if !f.local && mayTake(f, true) {
			queue = append(queue, f)
		} else if f.live && !f.reached {
			queue = append(queue, f.calls.list...)
		}
		for ; len(queue) > 0; queue = queue[1:] {
			if f := queue[0]; mayTake(f, true) {
				count[f.code.section.name]--
				f.live = true
				queue = append(queue, f.calls.list...)
			}
		}
	}
	// Of several with one name that one whose code is there.
	for _, alike := range [...]bool{true, false} {
		for _, f := range c.graph.functions {
			if mayTake(f, alike) {
				count[f.code.section.name]--
				f.live = true
			} else if f.code == nil || f.live || f.first() != f {
				continue
			} else if c.options.Relocatable && c.relocatable {
				f.live = true // a later link may ask for it
			}
		}
	}
	for _, f := range c.graph.functions {
		if first := f.first(); first != f && first.live {
			f.live = true
		}
	}
}

// mayBe reports whether a section of the output may be the code: where words may have
// moved, any may.
func (c *check) mayBe(b *body, s *section) bool {
	if b.mod.side != whole {
		return true
	}
	if err := c.budget.spend("output", 1+s.size/64); err != nil {
		c.exhausted = err
		return true
	}
	return b.section.size == s.size && b.mod.alike(b.section, 0, s.size, s.body, 0)
}

// kept applies what the host refers to, and -kernels-used: names are searched for the items given. It has no
// effect with -g, unless with -suppress-debug-info. With --preserve-relocs the others stay, but count for nothing.
func (c *check) kept(k *identity) bool {
	if h := c.options.HostUse; h != nil && !c.options.debugs() {
		return h.names(k.name, k.local) || k.taken && c.countNamed(h) != 1
	}
	if !c.options.filters() || c.options.debugs() {
		return true
	}
	return slices.ContainsFunc(c.options.KernelsUsed, func(item string) bool { return strings.Contains(k.name, item) })
}

// kernelsReaching lists the kernels that reach some of the functions.
func (c *check) kernelsReaching(functions []*identity) ([]*identity, error) {
	var from []int32
	for _, f := range functions {
		from = append(from, f.node)
	}
	var list []*identity
	steps := c.graph.walk(from, c.graph.before, func(n int32) {
		if int(n) < len(c.graph.functions) {
			if f := c.graph.functions[n]; f.asked {
				list = append(list, f)
			}
		}
	})
	slices.SortFunc(list, func(a, b *identity) int { return a.order - b.order })
	return list, c.budget.spend("", steps)
}

// countNamed counts the kernels that the host refers to: where it is one alone,
// nvlink takes a kernel whose address is taken for a device function.
func (c *check) countNamed(h *HostUse) int {
	if c.hostNamed == 0 {
		c.hostNamed = 1
		for _, f := range c.ids {
			if f.function() && f.kernel() && h.names(f.name, f.local) {
				c.hostNamed++
			}
		}
	}
	return c.hostNamed - 1
}
