package resources

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// markOrder are the marks in the order in which a kernel that answers for all is
// asked for them.
var markOrder = []mark{markCtaidz, markReservedSmem, markCancel, markSingle, markPair, markBarriers, markMbarriers}

var markByAttr = [256]mark{
	cuda.AttrNumMbarriers:     markMbarriers,
	cuda.AttrNumBarriers:      markBarriers,
	cuda.AttrReservedSmemUsed: markReservedSmem,
	cuda.AttrCtaidzUsed:       markCtaidz,
	cuda.AttrExterns:          markUndefined,
	cuda.AttrTcgen051ctaUsed:  markSingle,
	cuda.AttrTcgen052ctaUsed:  markPair,

	cuda.AttrAtEntryFragements: markFragments,
	attrCancels:                markCancel,
	attrLanguage:               markLanguage,
}

// marker appends the records of one kernel.
type marker struct {
	l    *Usage
	k    model.FunID
	need *demands
	code []model.FunID // what it answers for; nil is what it reaches
	only bool          // it is the only kernel
	done mark
}

// appendMarks writes the records a kernel owes to code it answers for.
func (l *Usage) appendMarks(k model.FunID, need *demands, only bool) {
	w := marker{l: l, k: k, need: need, only: only}
	if !only && l.summarizes() {
		l.appendSummary(&w)
		return
	}
	w.code = l.answeredBy(k, only)
	late := mark(0) // barriers that only sh_flags tell of come after all else
	if only {
		if !l.barriersRecorded(w.code) {
			late = markBarriers
		}
		for _, m := range markOrder {
			if m != late {
				w.append(m)
			}
		}
	}
	for _, f := range w.code {
		l.eachMark(f, func(m mark, at int) {
			switch {
			case only && m == late:
			case !only && at == lastRecord:
				late = m // unless another function's record comes first
			case (m == markLanguage || m == markFragments) && only: // come last
			case m != markUndefined:
				w.append(m)
			case w.done&m == 0 && !only:
				w.done |= m
				l.setExterns(k, l.externsOf(w.code), only)
			}
		})
	}
	if need.marks&markUndefined != 0 && only {
		l.setExterns(k, l.externsOf(w.code), only)
	}
	if only {
		w.append(markFragments)
		if l.Release.Compat.Keeps {
			l.setLanguage(k, only) // elsewhere it has its turn among the marks
		}
	}
	w.append(late)
}

// barriersRecorded reports whether some function was read with NUM_BARRIERS.
func (l *Usage) barriersRecorded(code []model.FunID) bool {
	for _, f := range code {
		if info := l.Funs[f].Info; info != model.Absent {
			for i := range l.Parts[info].Records() {
				if l.Parts[info].Records()[i].Attr == cuda.AttrNumBarriers {
					return true
				}
			}
		}
	}
	return false
}

// append appends the record of a mark, once.
func (w *marker) append(m mark) {
	l := w.l
	if w.done&m != 0 || w.need.marks&m == 0 {
		return
	}
	w.done |= m
	switch m {
	case markMbarriers:
		if n := w.mbarriers(); n > 0 || !w.only {
			l.noteMbarriers(w.k, uint16(n))
		}
	case markBarriers:
		if l.Release.BarrierAttr {
			l.note(w.k, model.Attribute{Format: cuda.FormatByte, Attr: cuda.AttrNumBarriers, Value: uint16(w.need.barriers), Sym: model.Absent})
		}
	case markReservedSmem:
		l.note(w.k, model.Attribute{Format: cuda.FormatNone, Attr: cuda.AttrReservedSmemUsed, Sym: model.Absent})
	case markLanguage:
		l.setLanguage(w.k, false)
	case markSingle:
		l.note(w.k, model.Attribute{Format: cuda.FormatNone, Attr: cuda.AttrTcgen051ctaUsed, Sym: model.Absent})
	case markPair:
		l.note(w.k, model.Attribute{Format: cuda.FormatNone, Attr: cuda.AttrTcgen052ctaUsed, Sym: model.Absent})
	case markCancel:
		l.note(w.k, model.Attribute{Format: cuda.FormatNone, Attr: attrCancels, Sym: model.Absent})
	case markFragments:
		var order []model.FunID
		if w.only {
			order = w.code
		}
		l.setFragments(w.k, w.need.fragments, order)
	case markCtaidz:
		l.note(w.k, model.Attribute{Format: cuda.FormatNone, Attr: cuda.AttrCtaidzUsed, Sym: model.Absent})
	}
}

// noteMbarriers sets NUM_MBARRIERS, or the NUM_BARRIERS of a kernel that has only these, where they
// count as the same.
func (l *Usage) noteMbarriers(k model.FunID, n uint16) {
	rec := model.Attribute{Format: cuda.FormatHalf, Attr: cuda.AttrNumMbarriers, Value: n, Sym: model.Absent}
	if info := l.Funs[k].Info; l.countsBarriers && info != model.Absent && l.Attribute(info, rec.Attr) == nil {
		if r := l.Attribute(info, cuda.AttrNumBarriers); r != nil {
			r.Value = n
			return
		}
	}
	l.note(k, rec)
}

// mbarriers adds up the NUM_MBARRIERS of the code.
func (w *marker) mbarriers() (sum uint32) {
	if w.code == nil {
		w.l.Reach(w.k, func(f model.FunID) { sum += w.l.asks[f].mbarriers })
		return sum
	}
	for _, f := range w.code {
		sum += w.l.asks[f].mbarriers
	}
	return sum
}

// eachMark calls visit for what a function asks for, in the order in which its
// records were read; barriers that its code's flags tell of come last. at is the
// number of the record.
func (l *Usage) eachMark(f model.FunID, visit func(m mark, at int)) {
	left := l.asks[f].marks
	if info := l.Funs[f].Info; info != model.Absent {
		records := l.Parts[info].Records()
		for i := range records {
			if m := l.markOf(records[i].Attr); left&m != 0 {
				left &^= m
				visit(m, i)
			}
		}
	}
	if left&markBarriers != 0 {
		visit(markBarriers, lastRecord)
	}
}

// markOf is the mark of an attribute.
func (l *Usage) markOf(attr cuda.InfoAttr) mark {
	if attr == cuda.AttrNumBarriers && l.countsBarriers {
		return markMbarriers
	}
	return markByAttr[attr]
}

// answeredBy returns the functions a kernel answers for, in the order of their
// .nv.info.<f>: those it reaches; or, in the order in which those were read,
// every live one where it is the only kernel.
func (l *Usage) answeredBy(k model.FunID, only bool) []model.FunID {
	var code []model.FunID
	if only {
		for i := range l.Funs {
			if l.Funs[i].Live {
				code = append(code, model.FunID(i))
			}
		}
	} else {
		l.Reach(k, func(f model.FunID) { code = append(code, f) })
	}
	slices.SortStableFunc(code, func(a, b model.FunID) int {
		if only {
			return int(l.Funs[a].InfoAt) - int(l.Funs[b].InfoAt)
		}
		return int(l.Funs[a].InfoMade) - int(l.Funs[b].InfoMade)
	})
	return code
}

// note sets a kernel's record of an attribute: in place, or at the end.
func (l *Usage) note(k model.FunID, rec model.Attribute) {
	info := l.Funs[k].Info
	if info == model.Absent {
		return
	}
	if r := l.Attribute(info, rec.Attr); r != nil {
		r.Value = rec.Value
		return
	}
	l.AppendAttribute(info, rec)
}
