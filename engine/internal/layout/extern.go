package layout

import (
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Kernels that reach a common device function that uses a dynamic variable form a group:
// the variables begin at one place in all of them, after what any of them holds. With
// -g a common variable makes a group.

// externGroups are these groups. Lists are by kernel.
type externGroups struct {
	*Layout
	s     *sharedLayout
	users []externUser // by function

	group []int // another kernel of its group, or itself
	uses  []bool
	align []uint64 // of the last dynamic variable that it reaches
	mixed []bool   // functions that it reaches give several alignments

	byVar map[model.SymID]int // with -g: variable to a kernel that uses it
	first map[model.FunID]int // device function to a kernel that reaches it
	top   map[int]uint64      // where the variables of a group begin
}

// placeExtern gives each group of kernels the offset of its dynamic variables.
func (l *Layout) placeExtern(s *sharedLayout) {
	n := len(s.Kernels)
	s.dynamic = l.externUsers()
	g := externGroups{Layout: l, s: s, users: s.dynamic, group: make([]int, n), uses: make([]bool, n), align: make([]uint64, n),
		mixed: make([]bool, n), byVar: make(map[model.SymID]int), first: make(map[model.FunID]int), top: make(map[int]uint64)}
	for k := range g.group {
		g.group[k] = k
	}
	s.dynAlign = make([]uint64, n)
	for f, user := range g.users {
		if user.most > 0 {
			for k := range s.reachers.Shown(model.FunID(f)).All() {
				g.note(k, &user)
				g.join(k, model.FunID(f))
			}
		}
	}
	g.findTops()
	s.instance = len(g.top) > 0
	if l.ShowsDebug() {
		l.defineExtern(func(v model.SymID) uint64 {
			if k, ok := g.byVar[v]; ok {
				return g.top[g.root(k)]
			}
			return model.AlignUp(s.first, DynamicAlign)
		})
	}
	g.place()
}

// root is the kernel that represents a kernel's group.
func (g *externGroups) root(k int) int {
	for g.group[k] != k {
		g.group[k] = g.group[g.group[k]]
		k = g.group[k]
	}
	return k
}

// note notes that a kernel reaches a user of dynamic variables.
func (g *externGroups) note(k int, user *externUser) {
	if !g.uses[k] {
		g.align[k] = user.first
	} else if g.align[k] != user.first {
		g.mixed[k] = true
	}
	g.uses[k], g.s.dynAlign[k] = true, max(g.s.dynAlign[k], user.most)
}

// join puts a kernel into the group of those that reach the same function, or with -g
// a variable of it.
func (g *externGroups) join(k int, f model.FunID) {
	if g.ShowsDebug() {
		g.sharedUses(f, func(v model.SymID) {
			if g.Syms[v].IsExternShared() {
				joinBy(g, g.byVar, v, k)
			}
		})
	} else if f != g.s.Kernels[k] {
		joinBy(g, g.first, f, k)
	}
}

// joinBy puts a kernel into the group of the one that a key has, if it has one.
func joinBy[K comparable](g *externGroups, kernels map[K]int, key K, k int) {
	if other, ok := kernels[key]; ok {
		g.group[g.root(k)] = g.root(other)
	} else {
		kernels[key] = k
	}
}

// findTops finds where the variables of each group begin.
func (g *externGroups) findTops() {
	pool := g.poolAlign(g.s)
	for k := range g.s.Kernels {
		if g.uses[k] {
			if g.ShowsDebug() && g.Release.AlignsDynamic {
				g.align[k] = g.sharedAlign(g.s, k, pool)
			}
			r := g.root(k)
			g.top[r] = max(g.top[r], model.AlignUp(max(g.s.ends[k], g.s.first), g.align[k]))
		}
	}
	g.stackTops(pool)
}

// stackTops begins the variables of a kernel after those of the kernels before of other groups that have its
// section, since they have its name.
func (g *externGroups) stackTops(pool uint64) {
	taken, by := make(map[int]uint64), make(map[int]int) // by a section's first kernel
	for k, home := range g.s.homes {
		if !g.uses[k] {
			continue
		}
		r := g.root(k)
		if last, ok := by[home]; ok && last == r {
			continue
		}
		g.top[r] = max(g.top[r], model.AlignUp(taken[home], g.align[k]))
		if taken[home], by[home] = g.top[r], r; g.Release.AlignsDynamic {
			taken[home] = model.AlignUp(taken[home], g.sharedAlign(g.s, k, pool))
		}
	}
}

// place tells kernels and functions the place.
func (g *externGroups) place() {
	s := g.s
	s.extern, s.ExternAt = make([]int64, len(s.Kernels)), make(map[model.FunID]uint64)
	for k := range s.Kernels {
		if s.extern[k] = -1; g.uses[k] {
			s.extern[k] = int64(g.top[g.root(k)])
			g.warnDynamic(s, k, g.mixed[k])
		}
	}
	for f, user := range g.users {
		if user.most > 0 {
			for k := range s.reachers.Shown(model.FunID(f)).All() {
				s.ExternAt[model.FunID(f)] = g.top[g.root(k)] // the last one's
			}
		}
	}
}
