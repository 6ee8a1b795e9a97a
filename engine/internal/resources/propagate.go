package resources

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// What a kernel owes to the code it reaches is written into its records: in
// place where it has one, else at the end. The order there is that in which
// the debts are found.

func (l *Usage) stackWarning(k model.FunID) {
	if l.Opt.SuppressStackWarning {
		return
	}
	name := l.SymName(l.Funs[k].Sym)
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.StackUnknown, Symbol: name,
		Text: fmt.Sprintf("Stack size for entry function '%s' cannot be statically determined", name)})
}

// findDemands finds what each function asks for itself.
func (l *Usage) findDemands() {
	l.asks = make([]demands, len(l.Funs))
	for i := range l.Funs {
		l.asks[i] = l.ownDemands(model.FunID(i))
	}
}

// propagate gives every live kernel the demands of what it reaches.
func (l *Usage) propagate() {
	live := l.LiveKernels()
	only := len(live) == 1
	l.countsBarriers = only && l.Release.TakesNewer
	l.completeSparse()
	l.findDemands()
	all := l.reachDemands()
	if only {
		l.answerForAll(live[0], &all[l.Calls.Comp[live[0]]])
	}
	l.ownBarriers(all)
	l.needs = make(map[model.FunID]uint32, len(live))
	for _, k := range live {
		need := &all[l.Calls.Comp[k]]
		cyclic := l.Calls.Cyclic[l.Calls.Comp[k]]
		l.setRegisters(k, need.regs)
		l.needs[k] = need.regs
		stack := uint32(need.depth)
		if cyclic {
			stack = unknownStack
		}
		l.Stacks = append(l.Stacks, kernelStack{k, stack})
		l.setCRS(k, need.crs, cyclic)
		need = l.mixBarriers(k, need, all, only)
		l.setFlagBarriers(k, need.barriers)
		l.setSparse(k, need.sparse)
		if need.marks != 0 {
			l.appendMarks(k, need, only)
		}
		if l.Release.Compat.Keeps && only {
			l.setLanguage(k, only) // last; elsewhere it has its turn among the marks
		}
		l.warnStack(k)
		l.checkStack(k, stack)
	}
}

// markOrder are the marks in the order in which a kernel that answers for all is
// asked for them.
var markOrder = []uint8{markCtaidz, markReservedSmem, markBarriers, markMbarriers}

// appendMarks writes the records a kernel owes to code it answers for.
func (l *Usage) appendMarks(k model.FunID, need *demands, only bool) {
	w := marker{l: l, k: k, need: need}
	if !only && l.summarizes() {
		l.appendSummary(&w)
		return
	}
	w.code = l.answeredBy(k, only)
	late := uint8(0) // barriers that only sh_flags tell of come after all else
	if only {
		if !l.barriersRecorded(w.code) {
			late = markBarriers
		}
		for _, mark := range markOrder {
			if mark != late {
				w.append(mark)
			}
		}
	}
	for _, f := range w.code {
		l.eachMark(f, func(mark uint8, _ int) {
			if mark == late {
				return
			}
			switch {
			case mark == markLanguage && only: // comes last
			case mark != markUndefined:
				w.append(mark)
			case w.done&mark == 0 && !only:
				w.done |= mark
				l.setExterns(k, l.externsOf(w.code), only)
			}
		})
	}
	if need.marks&markUndefined != 0 && only {
		l.setExterns(k, l.externsOf(w.code), only)
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

// marker appends the records of one kernel.
type marker struct {
	l    *Usage
	k    model.FunID
	need *demands
	code []model.FunID // what it answers for; nil is what it reaches
	done uint8
}

// append appends the record of a mark, once.
func (w *marker) append(mark uint8) {
	l := w.l
	if w.done&mark != 0 || w.need.marks&mark == 0 {
		return
	}
	w.done |= mark
	switch mark {
	case markMbarriers:
		l.noteMbarriers(w.k, uint16(w.mbarriers()))
	case markBarriers:
		if l.Release.BarrierAttr {
			l.note(w.k, model.Attribute{Format: cuda.FormatByte, Attr: cuda.AttrNumBarriers, Value: uint16(w.need.barriers), Sym: model.Absent})
		}
	case markReservedSmem:
		l.note(w.k, model.Attribute{Format: cuda.FormatNone, Attr: cuda.AttrReservedSmemUsed, Sym: model.Absent})
	case markLanguage:
		l.setLanguage(w.k, false)
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
func (l *Usage) eachMark(f model.FunID, visit func(mark uint8, at int)) {
	left := l.asks[f].marks
	if info := l.Funs[f].Info; info != model.Absent {
		records := l.Parts[info].Records()
		for i := range records {
			if mark := l.markOf(records[i].Attr); left&mark != 0 {
				left &^= mark
				visit(mark, i)
			}
		}
	}
	if left&markBarriers != 0 {
		visit(markBarriers, lastRecord)
	}
}

// markOf is the mark of an attribute.
func (l *Usage) markOf(attr cuda.InfoAttr) uint8 {
	if attr == cuda.AttrNumBarriers && l.countsBarriers {
		return markMbarriers
	}
	return markByAttr[attr]
}

var markByAttr = [256]uint8{
	cuda.AttrNumMbarriers:     markMbarriers,
	cuda.AttrNumBarriers:      markBarriers,
	cuda.AttrReservedSmemUsed: markReservedSmem,
	cuda.AttrCtaidzUsed:       markCtaidz,
	cuda.AttrExterns:          markUndefined,
	attrLanguage:              markLanguage,
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

// kernelStack is the MIN_STACK_SIZE of a kernel.
type kernelStack struct {
	Kernel model.FunID
	Bytes  uint32
}

// answerForAll makes the only kernel of a link answer for every live function,
// reached or not: for the marks, the sparse mask and, from 13.0 on, barriers that records tell of.
// The sparse masks are forgotten where nothing was dead and all functions have
// one, by 12.4 only if the kernel was read last (nvlink 12.4.131, 13.0.88).
func (l *Usage) answerForAll(k model.FunID, need *demands) {
	dead, last := false, true
	var sum demands
	for i := range l.Funs {
		dead = dead || !l.Funs[i].Live
		if l.Funs[i].Live {
			sum.add(&l.asks[i])
			last = last && l.Funs[i].InfoAt <= l.Funs[k].InfoAt
		}
	}
	if !sum.recorded {
		sum.marks &^= markBarriers
	}
	need.marks |= sum.marks
	need.sparse |= sum.sparse
	if !dead && need.sparse&sparseUnknown == 0 && (last || l.Release.BarrierAttr) {
		need.sparse = l.asks[k].sparse
	}
	if l.Release.BarrierAttr {
		need.barriers = max(need.barriers, sum.noted)
		need.recorded, need.noted = sum.recorded, sum.noted
	}
}

// sparseUnknown is the mask of code that says nothing.
const sparseUnknown = 0x8000

// completeSparse gives defined functions without a SPARSE_MMA_MASK one that
// says so, if some function of the inputs has one (nvlink 12.4.131, 13.0.88,
// 13.5.37).
func (l *Usage) completeSparse() {
	if !l.Release.InfoLink || !l.TellsSparse {
		return
	}
	for i := range l.Funs {
		f := &l.Funs[i]
		if !f.Live || f.Text == model.Absent || f.Info != model.Absent && l.Attribute(f.Info, cuda.AttrSparseMmaMask) != nil {
			continue
		}
		info := f.Info
		if canonical := l.Secs[f.Text].Fun; canonical != model.Absent {
			info = l.Funs[canonical].Info
		}
		if info != model.Absent {
			l.AppendAttribute(info, model.Attribute{Format: cuda.FormatHalf, Attr: cuda.AttrSparseMmaMask, Value: sparseUnknown, Sym: model.Absent})
		}
	}
}

// attrLanguage is the attribute that names the language of a function's source;
// ptxas 13.5 writes it.
const attrLanguage cuda.InfoAttr = 0x66

// setLanguage gives a kernel that names no language that of the code it answers
// for (nvlink 13.2.86 to 13.5.37, kernels of older toolkits).
func (l *Usage) setLanguage(k model.FunID, only bool) {
	info := l.Funs[k].Info
	if info == model.Absent || l.Attribute(info, attrLanguage) != nil {
		return
	}
	var from *model.Attribute
	find := func(f model.FunID) {
		if i := l.Funs[f].Info; from == nil && i != model.Absent {
			from = l.Attribute(i, attrLanguage)
		}
	}
	if only {
		for _, f := range l.answeredBy(k, only) {
			find(f)
		}
	} else {
		l.Reach(k, find)
	}
	if from != nil {
		l.AppendAttribute(info, *from)
	}
}

// setSparse writes the mask into a kernel's record, which may have been added.
func (l *Usage) setSparse(k model.FunID, mask uint16) {
	info := l.Funs[k].Info
	if r := l.Attribute(info, cuda.AttrSparseMmaMask); r != nil {
		r.Value = mask
		return
	}
	if info == model.Absent {
		return
	}
	added := l.Parts[info].Added()
	for i := range added {
		if added[i].Attr == cuda.AttrSparseMmaMask {
			added[i].Value = mask
		}
	}
}

func (l *Usage) setRegisters(k model.FunID, n uint32) {
	f := &l.Funs[k]
	if at := f.Mod[model.ModRegs]; at > 0 && n > f.Regs {
		l.ModuleAttributes[at-1].SetWord(1, n)
	}
	if t := &l.Secs[f.Text]; l.Release.RaiseRegs && n > uint32(t.Regs) && n > f.Regs {
		t.Regs = uint8(n)
	}
}

// setCRS writes the call-return stack: -1 where a cycle is reachable.
func (l *Usage) setCRS(k model.FunID, n int64, cyclic bool) {
	f := &l.Funs[k]
	if cyclic {
		n = -1
	} else if n <= 0 {
		return
	}
	if r := l.Attribute(f.Info, cuda.AttrCrsStackSize); r != nil {
		r.SetWord(0, uint32(n))
		return
	}
	rec := model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrCrsStackSize, Sym: model.Absent}
	rec.SetData(make([]byte, 4))
	rec.SetWord(0, uint32(n))
	l.AppendAttribute(f.Info, rec)
}

// externs calls visit for the functions of a function's EXTERNS that the driver
// must look up: those no module defined, and kernels, which code launches.
func (l *Usage) externs(f model.FunID, visit func(model.SymID)) {
	if l.Funs[f].Info == model.Absent {
		return
	}
	records := l.Parts[l.Funs[f].Info].Records()
	for i := range records {
		if records[i].Attr != cuda.AttrExterns {
			continue
		}
		for _, s := range l.SymList(records[i].List) {
			if l.StaysExtern(s) {
				visit(s)
			}
		}
	}
}

// StaysExtern reports whether an entry of EXTERNS stays.
func (l *Usage) StaysExtern(s model.SymID) bool {
	return s != model.Absent && (!l.Syms[s].Is(model.SymDefined) || l.Syms[s].Other&cuda.STOEntry != 0)
}

// externsOf returns the entries of EXTERNS that stay, of all code.
func (l *Usage) externsOf(code []model.FunID) (list []model.SymID) {
	for _, f := range code {
		l.externs(f, func(s model.SymID) { list = append(list, s) })
	}
	return list
}

// setExterns gives a kernel the EXTERNS of the code it answers for: its own
// first. The only kernel of a link has the last found first, at the end of its
// records unless nothing was added.
func (l *Usage) setExterns(k model.FunID, below []model.SymID, only bool) {
	seen := make(map[model.SymID]bool)
	var list []model.SymID
	add := func(s model.SymID) {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	own := l.Attribute(l.Funs[k].Info, cuda.AttrExterns)
	l.externs(k, add)
	mine := len(list)
	if only {
		clear(seen)
		list = list[:0]
	}
	for _, s := range below {
		add(s)
	}
	switch {
	case len(list) == 0 || only && len(list) == mine:
		return
	case only:
		if !l.Release.ExternsInOrder {
			slices.Reverse(list)
		}
		if own != nil {
			own.Gone = true
		}
	case own != nil:
		own.List = l.NewSymList(list)
		return
	}
	l.AppendAttribute(l.Funs[k].Info, model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrExterns, List: l.NewSymList(list), Sym: model.Absent})
}

// warnStack warns once for each entry of the kernel's callee list from which
// a cycle can be reached.
func (l *Usage) warnStack(k model.FunID) {
	f := &l.Funs[k]
	n := 0
	for _, g := range f.Callees.List {
		if l.Calls.Cyclic[l.Calls.Comp[g]] {
			n++
		}
	}
	for _, p := range f.Icalls {
		for _, g := range l.Calls.Matches(p) {
			if l.Calls.Cyclic[l.Calls.Comp[g]] {
				n++
			}
		}
	}
	for ; n > 0; n-- {
		l.stackWarning(k)
	}
}
