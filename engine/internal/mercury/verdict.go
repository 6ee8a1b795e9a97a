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

// verdicts are those that are kept, each in the place that its type and symbol give.
type verdicts [1 << 10]verdict

// Decider returns what decides about all records of a section of code; nil where it
// counts too whose section it is.
func (l *Backend) Decider() func(in model.SecID) (kept int, done bool) {
	if l.LostDebug != nil {
		return nil
	}
	known := new(verdicts)
	return func(in model.SecID) (int, bool) { return l.decideSection(in, known) }
}

// decideSection returns how many records stay; false where that isn't all, since
// something is to be said of the code, or may be wrong with a record.
func (l *Backend) decideSection(in model.SecID, known *verdicts) (kept int, done bool) {
	fn := l.found[l.Secs[in].Target]
	if fn == nil || fn.fault != nil || fn.unsized != nil || len(fn.said) > 0 {
		return 0, false
	}
	relocs := l.Parts[in].Relocs
	done = true
	for i := range relocs {
		r := &relocs[i]
		if r.Disposition != model.Undecided || r.More == 0 || !fn.pair(r, l.MoreOf(r)) {
			return 0, false
		}
		l.decideAsBefore(in, r, known)
		if r.Disposition == model.Kept {
			kept++
		}
		done = done && r.Fits
	}
	return kept, done
}

// decideAsBefore decides about a record of code.
func (l *Backend) decideAsBefore(in model.SecID, r *model.Reloc, known *verdicts) {
	v := &known[(uint32(r.Sym)*31+r.Type)%uint32(len(known))]
	if v.sym != r.Sym || v.typ != r.Type || !v.known {
		*v = verdict{sym: r.Sym, typ: r.Type, known: true, out: *r}
		l.decide(in, true, &v.out)
		v.out.Fits = !l.asksPlace(&v.out) && l.CheckApply(in, &v.out) == nil && l.CheckKept(in, &v.out) == nil
	}
	r.Sym, r.NewType, r.Disposition, r.Fits = v.out.Sym, v.out.NewType, v.out.Disposition, v.out.Fits
	l.rebase(r)
}

// rebase adds where an input's part of a section of data begins to a record that stays.
func (l *Backend) rebase(r *model.Reloc) {
	if r.Disposition == model.Kept && r.Sym != model.Absent && l.isDataSection(&l.Syms[r.Sym]) {
		r.Addend += int64(r.Base)
	}
}

// asksPlace reports whether the checks of a record of code depend on where it is: of
// dynamic shared memory functions see places of their own.
func (l *Backend) asksPlace(r *model.Reloc) bool {
	return r.Sym != model.Absent && l.Syms[r.Sym].IsExternShared()
}
