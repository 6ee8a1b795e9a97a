package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// refusePlaced reports kernels of whole programs (-ewp) that reach a variable of another object, once for each
// relocation: their shared memory is placed already, and nvlink adds nothing to it. A variable that one such kernel alone
// uses has no place then.
func (l *Layout) refusePlaced(s *sharedLayout, vars []model.SymID) {
	if !l.WholeProgram {
		return
	}
	uses := l.usesAsRead()
	unplaced := false
	for _, v := range vars {
		if l.Syms[v].IsExternShared() {
			continue
		}
		for _, f := range uses[v] {
			for _, k := range s.lastFirst(f) {
				if fn := &l.Funs[s.Kernels[k]]; fn.Whole && !l.IsHidden(fn) {
					l.sayPlaced(v, fn.Sym)
					_, only := s.users[v].Only()
					unplaced = unplaced || only
				}
			}
		}
	}
	switch {
	case !unplaced || l.Broken != "" || l.Arch.LeavesUnplaced():
	case l.Opt.PreserveRelocs:
		l.Broken = "reference to deleted symbol"
	case l.ShowsDebug() && !l.Release.ShowsUnplaced:
		l.Broken = "unallocated symbol"
	}
}

func (l *Layout) sayPlaced(v, kernel model.SymID) {
	name := l.SymName(kernel)
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.SharedPlaced, Symbol: name,
		Text: fmt.Sprintf("Cannot link shared object '%s' with partially linked kernel '%s'", l.SymName(v), name)})
}

// usesAsRead returns, for each variable in shared memory, the function of each relocation
// that names it, in the order in which they were read.
func (l *Layout) usesAsRead() map[model.SymID][]model.FunID {
	type list struct {
		rel model.SecID
		fun model.FunID
	}
	var read []list
	for f := range l.Funs {
		if t := l.Funs[f].Text; t != model.Absent && l.Secs[t].Fun == model.FunID(f) && l.Parts[t].FirstRel != model.Absent {
			read = append(read, list{l.Parts[t].FirstRel, model.FunID(f)})
		}
	}
	slices.SortFunc(read, func(a, b list) int { return cmp.Compare(a.rel, b.rel) })
	uses := make(map[model.SymID][]model.FunID)
	for _, r := range read {
		l.sharedUses(r.fun, func(v model.SymID) { uses[v] = append(uses[v], r.fun) })
	}
	return uses
}
