package reach

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// Reachers answers which of a list of kernels reach a function. What reaches a
// component is what reaches its callers, and the kernels in it.
type Reachers struct {
	l      *Graph
	number map[model.FunID]int32 // of the kernels
	shown  Kernels               // those that no filter hides, or that stay since their address is taken
	sets   []Kernels             // by component
	known  []bool                // by component: it has its set
	stored int                   // runs in all sets
	walks  bool                  // sets of callers take too much memory: each question is a walk
	equal  map[uint64]Kernels    // sets by their hash: equal ones are one in memory
	seen   []bool                // by component, false between questions
}

// mostStored bounds the memory of sets that nobody asked for.
const mostStored = 1 << 21

// NewReachers prepares for a list of kernels, in which each is known by its
// index.
func (l *Graph) NewReachers(kernels []model.FunID) *Reachers {
	n := len(l.Calls.Cyclic)
	r := &Reachers{l: l, number: make(map[model.FunID]int32, len(kernels)), sets: make([]Kernels, n), known: make([]bool, n), seen: make([]bool, n),
		equal: make(map[uint64]Kernels)}
	var shown []Kernels
	for i, k := range kernels {
		if !l.Funs[k].LikeDriver || l.IsEntry(k) {
			r.number[k] = int32(i)
		}
		if l.KernelsHidden() && (!l.IsHidden(&l.Funs[k]) || l.IsEntry(k)) {
			shown = append(shown, one(int32(i)))
		}
	}
	r.shown = Union(shown...)
	return r
}

func one(k int32) Kernels { return Kernels{{k, k + 1}} }

// Of returns the kernels that reach f.
func (r *Reachers) Of(f model.FunID) Kernels {
	c := r.l.Calls.Comp[f]
	if !r.known[c] {
		above := r.above(c)
		for _, c := range above {
			if r.walks {
				break
			}
			r.find(c)
			r.walks = r.stored > mostStored
		}
		if !r.known[c] {
			r.sets[c], r.known[c] = Union(r.own(nil, r.above(c)...)...), true
		}
	}
	return r.sets[c]
}

// above returns a component and all that reach it, callers first. Of those with a
// set it doesn't ask for the callers, unless sets of callers aren't made any more.
func (r *Reachers) above(c int32) []int32 {
	list := []int32{c}
	r.seen[c] = true
	for at := 0; at < len(list); at++ {
		for _, caller := range r.l.callersOf(list[at]) {
			if !r.seen[caller] && (r.walks || !r.known[caller]) {
				r.seen[caller] = true
				list = append(list, caller)
			}
		}
	}
	for _, c := range list {
		r.seen[c] = false
	}
	slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(b, a) }) // a callee's number is the lower one
	return list
}

// find makes the set of a component whose callers have theirs.
func (r *Reachers) find(c int32) {
	sets := r.own(nil, c)
	for _, caller := range r.l.callersOf(c) {
		sets = append(sets, r.sets[caller])
	}
	all := Union(sets...)
	hash := all.hash()
	if have, ok := r.equal[hash]; !ok {
		r.equal[hash] = all
		r.stored += len(all)
	} else if slices.Equal(have, all) {
		all = have
	}
	r.sets[c], r.known[c] = all, true
}

// own appends the kernels in some components.
func (r *Reachers) own(list []Kernels, components ...int32) []Kernels {
	for _, c := range components {
		for _, node := range r.l.Members(c) {
			if int(node) >= r.l.Calls.Funcs {
				continue
			}
			if k, ok := r.number[model.FunID(node)]; ok {
				list = append(list, one(k))
			}
		}
	}
	return list
}

// Shown is Of for the layout of shared memory, where a kernel that a filter
// hides is on its own, and a function of the program's own that nvlink
// takes for a kernel by its name uses nothing itself, unless it calls itself.
func (r *Reachers) Shown(f model.FunID) Kernels {
	list := r.Of(f)
	self, ok := r.number[f]
	ok = ok && len(intersect(list, one(self))) > 0
	if ok && r.l.Funs[f].LikeDriver && !r.l.callsItself(f) {
		list, ok = without(list, self), false
	}
	if !r.l.KernelsHidden() {
		return list
	}
	list = intersect(list, r.shown)
	if ok {
		list = Union(list, one(self))
	}
	return list
}
