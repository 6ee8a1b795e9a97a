package layout

import (
	"fmt"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// DynamicAlign is the alignment of dynamic shared memory. An empty section of
// just that alignment stays in the image where some variable is dynamic: it
// says that a kernel has some, or, by accident, that the pool has it too.
const DynamicAlign = 16

// warnDynamic tells of a kernel whose dynamic variables are where one of them must not:
// nvlink takes the alignment of the last one that code names. Which function's that is
// was asked for few graphs.
func (l *Layout) warnDynamic(s *sharedLayout, k int, mixed bool) {
	name, align := l.SymName(l.Funs[s.Kernels[k]].Sym), s.dynAlign[k]
	d := diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, Symbol: name, Value: uint64(s.extern[k])}
	switch {
	case mixed:
		d.Kind = diag.Rescheduled
		d.Text = fmt.Sprintf("Dynamic shared memory of '%s' has several alignments; its offset may differ from nvlink's", name)
	case uint64(s.extern[k])%align != 0:
		d.Text = fmt.Sprintf("Dynamic shared memory of '%s' is at %d, not a multiple of the alignment %d of one of its variables, as with nvlink %s", name, s.extern[k], align, l.Release.Name)
	default:
		return
	}
	l.Say(d)
}

// externUser is the alignment of the dynamic variables that a function names: the
// first record's, and the greatest; 0 where it names none. asked is what the first one's
// object says of it, 0 for nothing.
type externUser struct {
	first, most, asked uint64
	of                 model.SymID // the variable of the first record
}

// externUsers finds the functions whose code names a dynamic variable.
func (l *Layout) externUsers() []externUser {
	users := make([]externUser, len(l.Funs))
	for f := range l.Funs {
		u := &users[f]
		l.sharedUses(model.FunID(f), func(v model.SymID) {
			if s := &l.Syms[v]; s.IsExternShared() && !s.Is(model.SymSized) {
				align := l.dynamicAlign(s)
				if u.most == 0 {
					u.first, u.of = align, v
					if !s.Is(model.SymDefined) && model.IsDynamicAlignment(s.Value) {
						u.asked = s.Value
					}
				}
				u.most = max(u.most, align)
			}
		})
	}
	return users
}

// dynamicAlign is the alignment of a dynamic variable: from 13.4 on ptxas writes what
// the program asks for as the value of the undefined symbol, before 0. -r of 13.0 writes a place there, which
// 13.1 and later take for one too, and 13.0 and the libraries of 12.5 to 12.9 don't look at.
func (l *Layout) dynamicAlign(s *model.Symbol) uint64 {
	if l.Release.IgnoresDynamicAlign || s.Is(model.SymDefined) || !model.IsDynamicAlignment(s.Value) {
		return DynamicAlign
	}
	return max(DynamicAlign, s.Value)
}
