package reach

import (
	"slices"
)

// Questions about all kernels that reach something are asked from below, by the
// callers of each component that matters. Asked from above, kernel by kernel, they
// take time by kernels times functions where many kernels reach one ring of functions.

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
