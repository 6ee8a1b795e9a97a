package anatomy

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// graph is the calls of a file. Calls through a pointer lead to every function
// of the same prototype whose address is taken.
type graph struct {
	calls    [][]int
	indirect []bool // the function calls through a pointer
}

func readGraph(f *cubin.File, n int, index map[uint32]int) (*graph, error) {
	g := &graph{calls: make([][]int, n), indirect: make([]bool, n)}
	type through struct {
		caller    int
		prototype uint32
	}
	var pointers []through
	takers := map[uint32][]int{}
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if s.Type != cuda.SHTCudaCallgraph {
			continue
		}
		pairs, err := f.Pairs(&s)
		if err != nil {
			return nil, err
		}
		kind := uint32(0)
		for k := range pairs {
			p := f.Pair(&s, k)
			if p.X == 0 { // a marker
				kind = p.Y
				continue
			}
			x, known := index[p.X]
			if !known {
				continue
			}
			switch kind {
			case cuda.CallgraphCalls:
				if y, ok := index[p.Y]; ok {
					g.calls[x] = append(g.calls[x], y)
				}
			case cuda.CallgraphPrototypes:
				takers[p.Y] = append(takers[p.Y], x)
			case cuda.CallgraphIndirect:
				pointers = append(pointers, through{x, p.Y})
				g.indirect[x] = true
			}
		}
	}
	for _, p := range pointers {
		g.calls[p.caller] = append(g.calls[p.caller], takers[p.prototype]...)
	}
	for i := range g.calls {
		slices.Sort(g.calls[i])
		g.calls[i] = slices.Compact(g.calls[i])
	}
	return g, nil
}

// measure computes stacks, callees before callers: one walk, without recursion
// of our own, so that a chain of any length is no danger.
func (g *graph) measure(functions []Function) {
	const (
		fresh = iota
		open
		done
	)
	state := make([]uint8, len(functions))
	next := make([]int, len(functions))
	for root := range functions {
		if state[root] != fresh {
			continue
		}
		path := []int{root}
		state[root] = open
		for len(path) > 0 {
			at := path[len(path)-1]
			if next[at] < len(g.calls[at]) {
				to := g.calls[at][next[at]]
				next[at]++
				switch state[to] {
				case fresh:
					state[to] = open
					path = append(path, to)
				case open:
					recursion(functions, path, to)
				}
				continue
			}
			g.settle(functions, at)
			state[at] = done
			path = path[:len(path)-1]
		}
	}
}

// recursion marks the functions of a cycle that the path closes at a function.
func recursion(functions []Function, path []int, to int) {
	from := slices.Index(path, to)
	for _, at := range path[from:] {
		if functions[at].Unbounded == "" {
			functions[at].Unbounded = fmt.Sprintf("recursion through %s", functions[to].Name)
		}
	}
}

// settle sums a function up when all that it calls is known.
func (g *graph) settle(functions []Function, at int) {
	fn := &functions[at]
	fn.Calls, fn.Deepest = g.calls[at], -1
	deepest := uint64(0)
	for _, to := range g.calls[at] {
		callee := &functions[to]
		if callee.Unbounded != "" && fn.Unbounded == "" {
			fn.Unbounded = callee.Unbounded
			fn.Deepest = to
		}
		if to != at && (fn.Deepest < 0 || fn.Unbounded == "" && callee.Stack > deepest) {
			deepest, fn.Deepest = max(deepest, callee.Stack), to
		}
	}
	if g.indirect[at] && len(g.calls[at]) == 0 && fn.Unbounded == "" {
		fn.Unbounded = "a call through a pointer to which no function is known"
	}
	fn.Stack = fn.Frame + deepest
}
