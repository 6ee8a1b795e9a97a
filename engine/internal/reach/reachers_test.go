package reach

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// called is a call graph of n functions in which each calls some others.
func called(rnd *rand.Rand, n, calls int) *Graph {
	l := &Graph{Program: &model.Program{Set: &input.Set{Opt: &input.Options{}}, Funs: make([]model.Function, n)}, Calls: &graph{Funcs: n}}
	for f := range l.Funs {
		for range rnd.IntN(calls + 1) {
			l.Funs[f].Callees.List = append(l.Funs[f].Callees.List, model.FunID(rnd.IntN(n)))
		}
	}
	l.components()
	return l
}

// TestReachers: the kernels that reach a function are those from which a walk over
// calls comes to it, whether sets of callers are kept or not.
func TestReachers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + rnd.IntN(60)
		l := called(rnd, n, 1+rnd.IntN(3))
		var kernels []model.FunID
		for _, f := range rnd.Perm(n)[:rnd.IntN(n+1)] {
			kernels = append(kernels, model.FunID(f))
		}
		want := make([][]int, n)
		for k, f := range kernels {
			for g, reached := range walk(l, f) {
				if reached {
					want[g] = append(want[g], k)
				}
			}
		}
		for _, full := range []int{0, mostStored} {
			r := l.NewReachers(kernels)
			r.stored = full
			for _, f := range rnd.Perm(n) {
				if got := slices.Collect(r.Of(model.FunID(f)).All()); !slices.Equal(got, want[f]) {
					t.Fatalf("%d runs stored: function %d is reached by %v, want %v", full, f, got, want[f])
				}
			}
		}
	}
}

// walk marks what a function reaches.
func walk(l *Graph, f model.FunID) []bool {
	reached := make([]bool, len(l.Funs))
	reached[f] = true
	for queue := []model.FunID{f}; len(queue) > 0; queue = queue[1:] {
		for _, g := range l.Funs[queue[0]].Callees.List {
			if !reached[g] {
				reached[g] = true
				queue = append(queue, g)
			}
		}
	}
	return reached
}

func TestIntersect(t *testing.T) {
	a, b := Kernels{{0, 3}, {5, 9}, {12, 13}}, Kernels{{2, 6}, {8, 20}}
	if got := intersect(a, b); !slices.Equal(got, Kernels{{2, 3}, {5, 6}, {8, 9}, {12, 13}}) {
		t.Errorf("%v", got)
	}
}
