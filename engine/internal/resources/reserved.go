package resources

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// CheckReserved reports functions that use the reserved shared memory where none may
// be reserved: kernels that only answer for a use, the last first, then whatever has the
// attribute, in the order of reading. A final link gives kernels that only answer for a use
// the attribute, before the others'; -r doesn't.
func (l *Usage) CheckReserved() {
	if !l.Opt.NoReserved || !l.Release.ChecksReserved {
		return
	}
	if l.asks == nil {
		l.findDemands()
	}
	uses := func(f model.FunID) bool { return l.asks[f].marks&markReservedSmem != 0 }
	if !l.IsRelocatable() {
		answers := l.AnswersForAny(func(f model.FunID) bool { return uses(f) && l.Funs[f].Live })
		for _, k := range slices.Backward(l.LiveKernels()) {
			if answers(k) && !uses(k) {
				l.sayReserved(l.SymName(l.Funs[k].Sym))
			}
		}
	}
	var own []model.FunID
	for f := range l.Funs {
		if uses(model.FunID(f)) {
			own = append(own, model.FunID(f))
		}
	}
	slices.SortStableFunc(own, func(a, b model.FunID) int { return cmp.Compare(l.Funs[a].InfoAt, l.Funs[b].InfoAt) })
	for _, f := range own {
		name := "(null)" // of a function that the link omits
		if text := l.Funs[f].Text; text != model.Absent && !l.Secs[text].Deleted {
			name = l.SymName(l.Funs[f].Sym)
		}
		l.sayReserved(name)
	}
}

func (l *Usage) sayReserved(name string) {
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.ReservedShared, Symbol: name,
		Text: fmt.Sprintf("Function '%s' uses reserved shared memory when not allowed.", name)})
}
