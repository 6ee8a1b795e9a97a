package layout

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// TestClasses: each variable is in the first class none of whose variables has a user
// in common with it, and a kernel's memory ends after the last of its classes.
func TestClasses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		kernels, vars := 1+rnd.IntN(200), rnd.IntN(60)
		l := sharedProgram(vars)
		s := &sharedLayout{Kernels: make([]model.FunID, kernels), users: make(map[model.SymID]reach.Kernels)}
		sets := make([][]bool, vars)
		for v := range vars {
			sets[v] = make([]bool, kernels)
			var list []reach.Kernels
			for range rnd.IntN(4) {
				from := rnd.IntN(kernels)
				to := from + 1 + rnd.IntN(kernels-from)
				list = append(list, reach.Kernels{{From: int32(from), To: int32(to)}})
				for k := from; k < to; k++ {
					sets[v][k] = true
				}
			}
			id := model.SymID(v)
			s.Multi = append(s.Multi, id)
			s.users[id] = reach.Union(list...)
			l.Syms[v].Size, l.Syms[v].Value = uint64(rnd.IntN(40)), 1<<rnd.IntN(4)
		}
		got := make([]int, vars)
		for i, c := range l.classes(s) {
			for _, v := range c.members {
				got[v] = i
			}
		}
		if want := firstFit(sets); !slices.Equal(got, want) {
			t.Fatalf("classes %v, want %v", got, want)
		}
		l.colour(s)
		for k := range kernels {
			end := uint64(0)
			for v := range vars {
				if sets[v][k] {
					end = max(end, l.Syms[v].Value+l.Syms[v].Size)
				}
			}
			if s.ends[k] != end {
				t.Fatalf("kernel %d ends at %d, want %d", k, s.ends[k], end)
			}
		}
	}
}

// sharedProgram is a program of so many variables in shared memory.
func sharedProgram(vars int) *Layout {
	p := &model.Program{Names: names.New(1, nil), Syms: make([]model.Symbol, vars), Secs: make([]model.Section, 1)}
	p.SetUnowned(p.Names.ID(".nv_debug.shared"), 0)
	return &Layout{Program: p, Graph: &reach.Graph{Program: p}, SharedAlign: make(map[model.SymID]uint64)}
}

// firstFit is the rule, put plainly.
func firstFit(sets [][]bool) []int {
	var classes [][]int
	list := make([]int, len(sets))
	for v := range sets {
		at := slices.IndexFunc(classes, func(members []int) bool {
			return !slices.ContainsFunc(members, func(w int) bool {
				for k := range sets[v] {
					if sets[v][k] && sets[w][k] {
						return true
					}
				}
				return false
			})
		})
		if at < 0 {
			at, classes = len(classes), append(classes, nil)
		}
		classes[at], list[v] = append(classes[at], v), at
	}
	return list
}
