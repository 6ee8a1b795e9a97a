package layout

import (
	"slices"

	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// sharedVariables returns the variables in shared memory by the moment of
// their definition, dynamic ones by that of their creation.
func (l *Layout) sharedVariables() []model.SymID {
	var vars []model.SymID
	for i := range l.Syms {
		s := &l.Syms[i]
		if !s.IsShared() || s.Is(model.SymDead) || !s.Is(model.SymDefined) && !s.IsExternShared() {
			continue
		}
		if s.Sec >= 0 && (l.Secs[s.Sec].Deleted || l.Secs[s.Sec].Owner != model.Absent && l.Secs[l.Secs[s.Sec].Owner].Deleted) {
			continue
		}
		vars = append(vars, model.SymID(i))
	}
	slices.SortStableFunc(vars, func(a, b model.SymID) int { return int(l.Syms[a].At) - int(l.Syms[b].At) })
	return vars
}

// ownedShared reports whether a variable is in a kernel's own section.
func (l *Layout) ownedShared(v model.SymID) bool {
	sec := l.Syms[v].Sec
	return sec >= 0 && l.Secs[sec].Owner != model.Absent
}

// sharedUses calls visit for every relocation of a function's code that names
// a variable in shared memory.
func (l *Layout) sharedUses(f model.FunID, visit func(model.SymID)) {
	t := l.Funs[f].Text
	if t == model.Absent {
		return
	}
	for r := l.Parts[t].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
		for i := range l.Parts[r].Relocs {
			if v := l.Parts[r].Relocs[i].Sym; v != model.Absent && l.Syms[v].IsShared() {
				visit(v)
			}
		}
	}
}

// findUsers finds, for each variable, the kernels that reach a use.
func (l *Layout) findUsers(s *sharedLayout) {
	naming := make(map[model.SymID][]model.FunID)
	for f := range l.Funs {
		last := model.SymID(model.Absent)
		l.sharedUses(model.FunID(f), func(v model.SymID) {
			if v == last {
				return
			}
			last = v
			if list := naming[v]; len(list) == 0 || list[len(list)-1] != model.FunID(f) {
				naming[v] = append(list, model.FunID(f))
			}
		})
	}
	for v, list := range naming {
		s.users[v] = s.reachedBy(list)
	}
	s.naming = naming
}

// reachedBy returns the kernels that reach any of some functions.
func (s *sharedLayout) reachedBy(list []model.FunID) reach.Kernels {
	if len(list) == 1 {
		return s.reachers.Shown(list[0])
	}
	sets := make([]reach.Kernels, len(list))
	for i, f := range list {
		sets[i] = s.reachers.Shown(f)
	}
	return reach.Union(sets...)
}
