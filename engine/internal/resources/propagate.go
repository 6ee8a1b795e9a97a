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
	only := len(live) == 1 && !l.IsHidden(&l.Funs[live[0]]) // a hidden one that stays as its address is taken answers for its own
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
		cyclic := l.Calls.Cyclic[l.Calls.Comp[k]] || l.Funs[k].Unbounded
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
		if !only { // nvlink leaves the only kernel's as it is (13.0.88 to 13.5.37)
			l.setInits(k, need.inits)
		}
		if need.marks != 0 {
			l.appendMarks(k, need, only)
		}
		l.checkGroups(k, need.marks, only)
		l.warnStack(k)
		l.checkStack(k, stack)
	}
	l.dropFragments()
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
	need.fragments |= sum.fragments
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
		if !f.Live || f.Text == model.Absent || l.IsNested(model.FunID(i)) || f.Info != model.Absent && l.Attribute(f.Info, cuda.AttrSparseMmaMask) != nil {
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
	l.addBeforeSparse(f.Info, rec)
}

// addBeforeSparse adds an attribute in front of the SPARSE_MMA_MASK that the link gave a function: nvlink completes those
// when stacks are known (12.4.131, 13.0.88 to 13.5.37, recursive kernels of 12.1).
func (l *Usage) addBeforeSparse(info model.SecID, rec model.Attribute) {
	list := l.InfoOf(info)
	at := slices.IndexFunc(list.Added, func(r model.Attribute) bool { return r.Attr == cuda.AttrSparseMmaMask })
	if at < 0 {
		at = len(list.Added)
	}
	list.Added = slices.Insert(list.Added, at, rec)
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
