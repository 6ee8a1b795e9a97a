package sass

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Most records of a link have the type and the symbol of one that was decided
// before. What is decided of such a record depends on those two alone, so that it
// is kept for the next.

// verdict is what Decide says of records of a type and a symbol.
type verdict struct {
	sym model.SymID
	typ uint32
	out model.Reloc // type, symbol and what happens to it
	// fits says that no check refuses such a record, wherever it is in its section.
	fits  bool
	known bool
}

// verdicts is how many are kept, each in the place that its type and symbol give.
const verdicts = 1 << 10

// Decider returns what decides about all records of a section.
func (l *Backend) Decider() func(in model.SecID) (kept int, done bool) {
	if l.LostDebug != nil {
		return nil // whose section it is counts too
	}
	known := new([verdicts]verdict)
	return func(in model.SecID) (int, bool) { return l.decideSection(in, known) }
}

// decideSection returns how many records stay, and false where that isn't all: a
// record may be one that a check refuses.
func (l *Backend) decideSection(in model.SecID, decided *[verdicts]verdict) (kept int, done bool) {
	relocs, size := l.Parts[in].Relocs, l.Secs[l.Secs[in].Target].Size
	done = true
	for i := range relocs {
		r := &relocs[i]
		if r.Disposition != model.Undecided {
			return 0, false
		}
		v := &decided[(uint32(r.Sym)*31+r.Type)%verdicts]
		if v.sym != r.Sym || v.typ != r.Type || !v.known {
			*v = l.verdictOn(in, *r)
		}
		if !v.known {
			return 0, false
		}
		r.Sym, r.Type, r.NewType, r.Disposition = v.out.Sym, v.out.Type, v.out.NewType, v.out.Disposition
		if r.Disposition == model.Kept {
			kept++
		}
		done = done && v.fits && r.Off < size
	}
	return kept, done
}

// verdictOn decides about records like one.
func (l *Backend) verdictOn(in model.SecID, r model.Reloc) verdict {
	v := verdict{sym: r.Sym, typ: r.Type, known: true}
	if l.Decide(in, &r) != nil {
		return verdict{}
	}
	v.out = r
	switch r.Disposition {
	case model.Applied:
		v.fits = l.canApply(r.Type) && (r.Sym == model.Absent || !l.Syms[r.Sym].IsExternShared())
	case model.Kept:
		v.fits = r.Sym == model.Absent || l.canKeep(&l.Syms[r.Sym])
	default:
		v.fits = true
	}
	return v
}

// canApply reports whether the dispatcher can apply a type.
func (l *Backend) canApply(typ uint32) bool {
	if typ >= min(l.Release.RelocCount, cuda.RelocCount) {
		return false
	}
	d := &descriptor.Table[typ]
	for i := range descriptor.Slots {
		if a := d.Slot(i).Action; !descriptor.Dispatched(a) || i == 0 && a == descriptor.PCRel {
			return false
		}
	}
	return true
}

// canKeep reports whether references to a symbol can be left to the driver.
func (l *Backend) canKeep(sym *model.Symbol) bool {
	if l.IsCode(sym) && l.Secs[sym.Sec].Deleted {
		return false
	}
	return l.IsRelocatable() || l.Opt.PreserveRelocs || !l.IsHiddenData(sym)
}
