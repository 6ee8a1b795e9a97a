package mercury

import "github.com/twinlink/twinlink/engine/internal/model"

// What becomes of a record of code depends on its type and symbol alone, and most
// records have those of one that was decided before.

// verdict is what was decided of records of code with a type and a symbol.
type verdict struct {
	sym   model.SymID
	typ   uint32
	known bool
	out   model.Reloc // type, symbol and what happens to it
}

// verdicts is how many are kept, each in the place that its type and symbol give.
const verdicts = 1 << 10

// decideAsBefore is decide for a record of code.
func (l *Backend) decideAsBefore(in model.SecID, r *model.Reloc) {
	v := &l.verdicts[(uint32(r.Sym)*31+r.Type)%verdicts]
	if v.sym != r.Sym || v.typ != r.Type || !v.known {
		*v = verdict{sym: r.Sym, typ: r.Type, known: true, out: *r}
		l.decide(in, true, &v.out)
		v.out.Fits = !l.asksPlace(&v.out) && l.CheckApply(in, &v.out) == nil && l.CheckKept(in, &v.out) == nil
	}
	r.Sym, r.NewType, r.Disposition, r.Fits = v.out.Sym, v.out.NewType, v.out.Disposition, v.out.Fits
}

// asksPlace reports whether the checks of a record of code depend on where it is: of
// dynamic shared memory functions see places of their own.
func (l *Backend) asksPlace(r *model.Reloc) bool {
	return r.Sym != model.Absent && l.Syms[r.Sym].IsExternShared()
}
