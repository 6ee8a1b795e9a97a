package engine

import "slices"

// The call graph. A function's successors are its direct callees and, for
// each prototype it calls through, every function of that prototype whose
// address is taken. Matching goes through a node for each prototype, so that
// the graph stays as large as the input.
//
// Facts that flow from callees to kernels (registers, stack, barriers) are
// computed once over the strongly connected components, callees first.

// graph is the closed call graph; nodes 0..funcs-1 are functions, the rest
// prototypes.
type graph struct {
	funcs   int
	members [][]funID        // by prototype node - funcs: its functions, by symbol
	proto   map[nameID]int32 // prototype to node
	comp    []int32          // by node: its component, callees first
	cyclic  []bool           // by component: a cycle runs through it or is reachable
}

// addCallee adds a CALL edge unless it is there.
func (l *linker) addCallee(f, g funID) {
	l.addUnlessThere(&l.funs[f].callees, edge{f, g, false, l.funs[f].replaced})
}

// addEdge adds a function-pointer edge unless it is there.
func (l *linker) addEdge(f, g funID) {
	l.addUnlessThere(&l.funs[f].edges, edge{f, g, true, l.funs[f].replaced})
}

// calls is a list of functions, and where the part begins that the definition
// that stands has added: those of one that was replaced stay, and aren't looked
// at again.
type calls struct {
	list  []funID
	since int
}

type edge struct {
	from, to funID
	pointer  bool
	replaced int32
}

// addUnlessThere appends an edge. Short lists are searched; long ones go
// through a set.
func (l *linker) addUnlessThere(c *calls, e edge) {
	const long = 128
	own := c.list[c.since:]
	if len(own) < long {
		if !slices.Contains(own, e.to) {
			if c.list == nil {
				c.list = l.callLists.list(4)
			}
			c.list = append(c.list, e.to)
		}
		return
	}
	if l.longEdges == nil {
		l.longEdges = make(map[edge]bool)
	}
	if len(own) == long {
		for _, g := range own {
			l.longEdges[edge{e.from, g, e.pointer, e.replaced}] = true
		}
	}
	if !l.longEdges[e] {
		l.longEdges[e] = true
		c.list = append(c.list, e.to)
	}
}

// closeGraph matches indirect calls and finds the components.
func (l *linker) closeGraph() {
	g := &graph{funcs: len(l.funs), proto: make(map[nameID]int32)}
	for i := range l.funs {
		f := &l.funs[i]
		if !f.taken {
			continue
		}
		n, ok := g.proto[f.proto]
		if !ok {
			n = int32(g.funcs + len(g.members))
			g.proto[f.proto] = n
			g.members = append(g.members, nil)
		}
		g.members[int(n)-g.funcs] = append(g.members[int(n)-g.funcs], funID(i))
	}
	l.graph = g
	l.components()
	if l.opt.ExtraWarnings && !l.opt.Debug && !l.opt.PreserveReloc {
		l.warnUncalled()
	}
}

// warnUncalled tells of functions whose address is taken and which nothing can
// be seen to call.
func (l *linker) warnUncalled() {
	called := make([]bool, len(l.funs))
	for i := range l.funs {
		for _, g := range l.calledBy(funID(i)) {
			called[g] = true
		}
	}
	for i := range l.funs {
		if f := &l.funs[i]; f.taken && !called[i] && !l.entry(funID(i)) {
			l.uncalledWarning(funID(i))
		}
	}
}

// matches returns the functions an indirect call through proto may reach, by
// symbol.
func (g *graph) matches(proto nameID) []funID {
	if n, ok := g.proto[proto]; ok {
		return g.members[int(n)-g.funcs]
	}
	return nil
}

// successor returns the i-th successor of a node, newest first as the lists of
// the tool run; -1 at the end.
func (l *linker) successor(node int32, i int) int32 {
	g := l.graph
	if int(node) >= g.funcs {
		members := g.members[int(node)-g.funcs]
		if i < len(members) {
			return int32(members[i])
		}
		return -1
	}
	f := &l.funs[node]
	if i < len(f.callees.list) {
		return int32(f.callees.list[len(f.callees.list)-1-i])
	}
	for i -= len(f.callees.list); i < len(f.icalls); i++ {
		if n, ok := g.proto[f.icalls[len(f.icalls)-1-i]]; ok {
			return n
		}
	}
	return -1
}

// components numbers the strongly connected components so that callees come
// before callers, and marks those from which a cycle can be reached. Tarjan's
// algorithm with a stack of its own: a call chain may be as long as the input.
func (l *linker) components() {
	g := l.graph
	n := g.funcs + len(g.members)
	g.comp = make([]int32, n)
	low := make([]int32, n)
	order := make([]int32, n) // 0 is not visited
	onStack := make([]bool, n)
	var stack []int32
	type frame struct {
		node int32
		next int
		self bool
	}
	var calls []frame
	clock := int32(0)
	for root := 0; root < n; root++ {
		if order[root] != 0 {
			continue
		}
		calls = append(calls, frame{node: int32(root)})
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.node
			if f.next == 0 {
				clock++
				order[v], low[v] = clock, clock
				stack = append(stack, v)
				onStack[v] = true
			}
			w := l.successor(v, f.next)
			f.next++
			if w >= 0 {
				switch {
				case w == v:
					f.self = true
				case order[w] == 0:
					calls = append(calls, frame{node: w})
				case onStack[w]:
					low[v] = min(low[v], order[w])
				}
				continue
			}
			self := f.self
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				parent := calls[len(calls)-1].node
				low[parent] = min(low[parent], low[v])
			}
			if low[v] == order[v] {
				l.closeComponent(&stack, onStack, v, self)
			}
		}
	}
}

// closeComponent pops the component whose root is v.
func (l *linker) closeComponent(stack *[]int32, onStack []bool, v int32, self bool) {
	g := l.graph
	id := int32(len(g.cyclic))
	s := *stack
	from := len(s) - 1
	for s[from] != v {
		from--
	}
	members := s[from:]
	cyclic := self || len(members) > 1
	for _, w := range members {
		g.comp[w] = id
		onStack[w] = false
	}
	for _, w := range members {
		for i := 0; !cyclic; i++ {
			x := l.successor(w, i)
			if x < 0 {
				break
			}
			cyclic = g.comp[x] != id && g.cyclic[g.comp[x]]
		}
	}
	g.cyclic = append(g.cyclic, cyclic)
	*stack = s[:from]
}

// answersFor calls visit for every function whose data layout must provide for
// in kernel k: what it reaches or, where it is the only kernel, whatever was
// read, dead code too.
func (l *linker) answersFor(k funID, visit func(funID)) {
	if len(l.liveKernels()) != 1 {
		l.reach(k, visit)
		return
	}
	for i := range l.funs {
		visit(funID(i))
	}
}

// reach calls visit for f and every function it reaches, breadth first,
// callees in the order of its list and then those of indirect calls.
func (l *linker) reach(f funID, visit func(funID)) {
	g := l.graph
	l.stamp++
	if len(l.stamps) < len(g.comp) {
		l.stamps = make([]int32, len(g.comp))
	}
	queue := append(l.queue[:0], int32(f))
	l.stamps[f] = l.stamp
	for at := 0; at < len(queue); at++ {
		if int(queue[at]) < g.funcs {
			visit(funID(queue[at]))
		}
		for i := 0; ; i++ {
			w := l.successor(queue[at], i)
			if w < 0 {
				break
			}
			if l.stamps[w] != l.stamp {
				l.stamps[w] = l.stamp
				queue = append(queue, w)
			}
		}
	}
	l.queue = queue
	l.steps += len(queue)
}
