package reach

import (
	"slices"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// Questions about all kernels that reach something are asked from below: a walk
// to the callers of each component that matters. Asked from above, kernel by
// kernel, they take time by kernels times functions where many kernels reach
// one ring of functions.

// components lists the nodes of each component: those of c are
// node[start[c]:start[c+1]].
type components struct {
	node, start []int32
}

// Members returns the nodes of component c, which are functions below Funcs.
func (l *Graph) Members(c int32) []int32 {
	if l.members.start == nil {
		g := l.Calls
		m := components{node: make([]int32, len(g.Comp)), start: make([]int32, len(g.Cyclic)+1)}
		for _, c := range g.Comp {
			m.start[c+1]++
		}
		for c := range len(g.Cyclic) {
			m.start[c+1] += m.start[c]
		}
		next := slices.Clone(m.start)
		for node, c := range g.Comp {
			m.node[next[c]] = int32(node)
			next[c]++
		}
		l.members = m
	}
	return l.members.node[l.members.start[c]:l.members.start[c+1]]
}

// callersOf returns, for each component, the components with an edge to it,
// some of them several times.
func (l *Graph) callersOf(c int32) []int32 {
	if l.callers.start == nil {
		g := l.Calls
		m := components{start: make([]int32, len(g.Cyclic)+1)}
		edges := func(visit func(from, to int32)) {
			for node, from := range g.Comp {
				for i := 0; ; i++ {
					w := l.Successor(int32(node), i)
					if w < 0 {
						break
					}
					if to := g.Comp[w]; to != from {
						visit(from, to)
					}
				}
			}
		}
		edges(func(_, to int32) { m.start[to+1]++ })
		for c := range len(g.Cyclic) {
			m.start[c+1] += m.start[c]
		}
		m.node = make([]int32, m.start[len(g.Cyclic)])
		next := slices.Clone(m.start)
		edges(func(from, to int32) {
			m.node[next[to]] = from
			next[to]++
		})
		l.callers = m
	}
	return l.callers.node[l.callers.start[c]:l.callers.start[c+1]]
}

// Reachers answers which of a list of kernels reach a function.
type Reachers struct {
	l       *Graph
	kernels []model.FunID
	number  map[model.FunID]int // of the kernels
	known   map[int32][]int     // by component
	seen    []bool
}

// NewReachers prepares for a list of kernels, in which each is known by its
// index.
func (l *Graph) NewReachers(kernels []model.FunID) *Reachers {
	r := &Reachers{l: l, kernels: kernels, number: make(map[model.FunID]int, len(kernels)), known: make(map[int32][]int), seen: make([]bool, len(l.Calls.Cyclic))}
	for i, k := range kernels {
		r.number[k] = i
	}
	return r
}

// Of returns the kernels that reach f, ascending.
func (r *Reachers) Of(f model.FunID) []int {
	c := r.l.Calls.Comp[f]
	list, ok := r.known[c]
	if ok {
		return list
	}
	queue := []int32{c}
	r.seen[c] = true
	for at := 0; at < len(queue); at++ {
		for _, node := range r.l.Members(queue[at]) {
			if int(node) >= r.l.Calls.Funcs {
				continue
			}
			if k, ok := r.number[model.FunID(node)]; ok {
				list = append(list, k)
			}
		}
		for _, caller := range r.l.callersOf(queue[at]) {
			if !r.seen[caller] {
				r.seen[caller] = true
				queue = append(queue, caller)
			}
		}
	}
	for _, c := range queue {
		r.seen[c] = false
	}
	slices.Sort(list)
	r.known[c] = list
	return list
}

// Shown is Of for the layout of shared memory, where a kernel that a filter
// hides stands for itself alone.
func (r *Reachers) Shown(f model.FunID) []int {
	all := r.Of(f)
	if !r.l.KernelsHidden() {
		return all
	}
	list := all[:0:0]
	self, isKernel := r.number[f]
	for _, k := range all {
		if isKernel && k == self || !r.l.IsHidden(&r.l.Funs[r.kernels[k]]) {
			list = append(list, k)
		}
	}
	return list
}
