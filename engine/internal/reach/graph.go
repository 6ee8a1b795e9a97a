package reach

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// The call graph. A function's successors are its direct callees and, for
// each prototype it calls through, every function of that prototype whose
// address is taken. Matching goes through a node for each prototype, so that
// the graph stays as large as the input.
//
// Facts that flow from callees to kernels (registers, stack, barriers) are
// computed once over the strongly connected components, callees first.

// CalledBy is all a function may call: the matches of its indirect calls, each
// in front, then its callees.
func (l *Graph) CalledBy(id model.FunID) []model.FunID {
	var list []model.FunID
	for _, proto := range l.Funs[id].Icalls {
		list = Reversed(list, l.Calls.Matches(proto))
	}
	return Reversed(list, l.Funs[id].Callees.List)
}

// Reversed appends fs, the last first.
func Reversed(to, fs []model.FunID) []model.FunID {
	for _, f := range slices.Backward(fs) {
		to = append(to, f)
	}
	return to
}

func (l *Graph) uncalledWarning(f model.FunID) {
	name := l.SymName(l.Funs[f].Sym)
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Uncalled, Symbol: name,
		Text: fmt.Sprintf("Function '%s' has address taken but no calls to it found", name)})
}

// graph is the closed call graph; nodes 0..funcs-1 are functions, the rest
// prototypes.
type graph struct {
	Funcs   int
	members [][]model.FunID    // by prototype node - funcs: its functions, by symbol
	proto   map[names.ID]int32 // prototype to node
	Comp    []int32            // by node: its component, callees first
	Cyclic  []bool             // by component: a cycle runs through it or is reachable
}

// closeGraph matches indirect calls and finds the components.
func (l *Graph) closeGraph() {
	g := &graph{Funcs: len(l.Funs), proto: make(map[names.ID]int32)}
	for i := range l.Funs {
		f := &l.Funs[i]
		if !f.Taken {
			continue
		}
		n, ok := g.proto[f.Proto]
		if !ok {
			n = int32(g.Funcs + len(g.members))
			g.proto[f.Proto] = n
			g.members = append(g.members, nil)
		}
		g.members[int(n)-g.Funcs] = append(g.members[int(n)-g.Funcs], model.FunID(i))
	}
	l.Calls = g
	l.components()
}

// WarnUncalled tells of functions whose address is taken and which no kernel
// can be seen to call, directly or through others.
func (l *Graph) WarnUncalled() {
	if !l.Opt.ExtraWarnings || l.Opt.Debug || l.Opt.PreserveRelocs || l.IsRelocatable() && l.Release.Toolkit >= 130 {
		return
	}
	called := make([]bool, len(l.Funs))
	var queue []model.FunID
	for i := range l.Funs {
		if l.IsEntry(model.FunID(i)) {
			queue = append(queue, model.FunID(i))
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, g := range l.CalledBy(queue[at]) {
			if !called[g] {
				called[g] = true
				queue = append(queue, g)
			}
		}
	}
	for i := range l.Funs {
		if f := &l.Funs[i]; f.Taken && !called[i] && !l.IsEntry(model.FunID(i)) {
			l.uncalledWarning(model.FunID(i))
		}
	}
}

// Matches returns the functions an indirect call through proto may reach, by
// symbol.
func (g *graph) Matches(proto names.ID) []model.FunID {
	if n, ok := g.proto[proto]; ok {
		return g.members[int(n)-g.Funcs]
	}
	return nil
}

// callsItself reports whether a function calls itself, directly or through others.
func (l *Graph) callsItself(f model.FunID) bool {
	if len(l.Members(l.Calls.Comp[f])) > 1 {
		return true
	}
	for i := 0; ; i++ {
		if w := l.Successor(int32(f), i); w < 0 || w == int32(f) {
			return w >= 0
		}
	}
}

// Successor returns the i-th successor of a node, newest first as the lists of
// the tool run; -1 at the end.
func (l *Graph) Successor(node int32, i int) int32 {
	g := l.Calls
	if int(node) >= g.Funcs {
		members := g.members[int(node)-g.Funcs]
		if i < len(members) {
			return int32(members[i])
		}
		return -1
	}
	f := &l.Funs[node]
	if i < len(f.Callees.List) {
		return int32(f.Callees.List[len(f.Callees.List)-1-i])
	}
	for i -= len(f.Callees.List); i < len(f.Icalls); i++ {
		if n, ok := g.proto[f.Icalls[len(f.Icalls)-1-i]]; ok {
			return n
		}
	}
	return -1
}

// components numbers the strongly connected components so that callees come
// before callers, and marks those from which a cycle can be reached. Tarjan's
// algorithm with a stack of its own: a call chain may be as long as the input.
func (l *Graph) components() {
	g := l.Calls
	n := g.Funcs + len(g.members)
	g.Comp = make([]int32, n)
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
			w := l.Successor(v, f.next)
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
func (l *Graph) closeComponent(stack *[]int32, onStack []bool, v int32, self bool) {
	g := l.Calls
	id := int32(len(g.Cyclic))
	s := *stack
	from := len(s) - 1
	for s[from] != v {
		from--
	}
	members := s[from:]
	cyclic := self || len(members) > 1
	for _, w := range members {
		g.Comp[w] = id
		onStack[w] = false
	}
	for _, w := range members {
		for i := 0; !cyclic; i++ {
			x := l.Successor(w, i)
			if x < 0 {
				break
			}
			cyclic = g.Cyclic[g.Comp[x]] // of another one: nothing here calls itself
		}
	}
	g.Cyclic = append(g.Cyclic, cyclic)
	*stack = s[:from]
}

// AnswersForAny returns whether a kernel has to provide for some function with a
// property: one that it reaches or, where it is the only kernel, any that was
// read, dead code too. One that a filter hides and its address keeps provides for
// what it reaches alone.
func (l *Graph) AnswersForAny(has func(model.FunID) bool) func(k model.FunID) bool {
	if live := l.LiveKernels(); len(live) != 1 || l.IsHidden(&l.Funs[live[0]]) {
		return l.ReachesAny(has)
	}
	for i := range l.Funs {
		if has(model.FunID(i)) {
			return func(model.FunID) bool { return true }
		}
	}
	return func(model.FunID) bool { return false }
}

// ReachesAny returns whether a function reaches one with a property, itself
// included.
func (l *Graph) ReachesAny(has func(model.FunID) bool) func(f model.FunID) bool {
	g := l.Calls
	some := make([]bool, len(g.Cyclic))
	for c := range some { // callees first
		for _, node := range l.Members(int32(c)) {
			if int(node) < g.Funcs && has(model.FunID(node)) {
				some[c] = true
			}
			for i := 0; !some[c]; i++ {
				w := l.Successor(node, i)
				if w < 0 {
					break
				}
				some[c] = some[g.Comp[w]]
			}
		}
	}
	return func(f model.FunID) bool { return some[g.Comp[f]] }
}

// Reach calls visit for f and every function it reaches, breadth first,
// callees in the order of its list and then those of indirect calls.
func (l *Graph) Reach(f model.FunID, visit func(model.FunID)) {
	g := l.Calls
	l.stamp++
	if len(l.stamps) < len(g.Comp) {
		l.stamps = make([]int32, len(g.Comp))
	}
	queue := append(l.queue[:0], int32(f))
	l.stamps[f] = l.stamp
	for at := 0; at < len(queue); at++ {
		if int(queue[at]) < g.Funcs {
			visit(model.FunID(queue[at]))
		}
		for i := 0; ; i++ {
			w := l.Successor(queue[at], i)
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
