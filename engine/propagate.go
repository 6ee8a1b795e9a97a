package engine

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// What a kernel owes to the code it reaches is written into its records: in
// place where it has one, else at the end. The order there is that in which
// the debts are found.

// propagate gives every live kernel the demands of what it reaches.
func (l *linker) propagate() {
	l.completeSparse()
	l.asks = make([]facts, len(l.funs))
	for i := range l.funs {
		l.asks[i] = l.ownFacts(funID(i))
	}
	all := l.reachFacts()
	live := l.liveKernels()
	only := len(live) == 1
	if only {
		l.answerForAll(live[0], &all[l.graph.comp[live[0]]])
	}
	l.ownBarriers()
	l.needs = make(map[funID]uint32, len(live))
	for _, k := range live {
		need := &all[l.graph.comp[k]]
		cyclic := l.graph.cyclic[l.graph.comp[k]]
		l.setRegisters(k, need.regs)
		l.needs[k] = need.regs
		stack := uint32(need.depth)
		if cyclic {
			stack = unknownStack
		}
		l.stacks = append(l.stacks, kernelStack{k, stack})
		l.setCRS(k, need.crs, cyclic)
		l.setFlagBarriers(k, need.barriers)
		l.setSparse(k, need.sparse)
		if need.marks != 0 {
			l.settle(k, need, only)
		}
		l.warnStack(k)
	}
	l.checkReserved()
}

// checkReserved reports kernels that use the reserved shared memory where none
// may be reserved, the last first.
func (l *linker) checkReserved() {
	if !l.opt.NoReserved {
		return
	}
	for _, k := range slices.Backward(l.liveKernels()) {
		used := false
		l.reach(k, func(f funID) { used = used || l.asks[f].marks&markReservedSmem != 0 })
		if name := l.symName(l.funs[k].sym); used {
			l.say(Diagnostic{Severity: Error, Kind: ReservedShared, Symbol: name,
				Text: fmt.Sprintf("Function '%s' uses reserved shared memory when not allowed.", name)})
		}
	}
}

// debts are the marks in the order in which a kernel that answers for all is
// asked for them.
var debts = []uint8{markCtaidz, markReservedSmem, markBarriers, markMbarriers}

// settle writes the records a kernel owes to code it answers for.
func (l *linker) settle(k funID, need *facts, only bool) {
	code := l.answeredBy(k, only)
	mbarriers := uint32(0)
	for _, f := range code {
		mbarriers += l.asks[f].mbarriers
	}
	done := uint8(0)
	pay := func(mark uint8) {
		if done&mark != 0 || need.marks&mark == 0 {
			return
		}
		done |= mark
		switch mark {
		case markMbarriers:
			l.note(k, infoRec{format: cuda.FormatHalf, attr: cuda.AttrNumMbarriers, value: uint16(mbarriers), sym: absent})
		case markBarriers:
			if l.prof.barrierAttr {
				l.note(k, infoRec{format: cuda.FormatByte, attr: cuda.AttrNumBarriers, value: uint16(need.barriers), sym: absent})
			}
		case markReservedSmem:
			l.note(k, infoRec{format: cuda.FormatNone, attr: cuda.AttrReservedSmemUsed, sym: absent})
		case markCtaidz:
			l.note(k, infoRec{format: cuda.FormatNone, attr: cuda.AttrCtaidzUsed, sym: absent})
		}
	}
	if only {
		for _, mark := range debts {
			pay(mark)
		}
	}
	for _, f := range code {
		l.eachMark(f, func(mark uint8) {
			if mark != markUndefined {
				pay(mark)
			} else if done&mark == 0 && !only {
				done |= mark
				l.setExterns(k, code, only)
			}
		})
	}
	if need.marks&markUndefined != 0 && only {
		l.setExterns(k, code, only)
	}
}

// eachMark calls visit for what a function asks for, in the order in which its
// records were read; barriers that its code's flags tell of come last.
func (l *linker) eachMark(f funID, visit func(uint8)) {
	left := l.asks[f].marks
	if info := l.funs[f].info; info != absent {
		records := l.secs[info].records()
		for i := range records {
			if mark := markOf[records[i].attr]; left&mark != 0 {
				left &^= mark
				visit(mark)
			}
		}
	}
	if left&markBarriers != 0 {
		visit(markBarriers)
	}
}

var markOf = map[cuda.InfoAttr]uint8{
	cuda.AttrNumMbarriers:     markMbarriers,
	cuda.AttrNumBarriers:      markBarriers,
	cuda.AttrReservedSmemUsed: markReservedSmem,
	cuda.AttrCtaidzUsed:       markCtaidz,
	cuda.AttrExterns:          markUndefined,
}

// answeredBy returns the functions a kernel answers for, in the order of their
// .nv.info.<f>: those it reaches; or, in the order in which those were read,
// every live one where it is the only kernel.
func (l *linker) answeredBy(k funID, only bool) []funID {
	var code []funID
	if only {
		for i := range l.funs {
			if l.funs[i].live {
				code = append(code, funID(i))
			}
		}
	} else {
		l.reach(k, func(f funID) { code = append(code, f) })
	}
	slices.SortStableFunc(code, func(a, b funID) int {
		if only {
			return int(l.funs[a].infoAt) - int(l.funs[b].infoAt)
		}
		return int(l.funs[a].info) - int(l.funs[b].info)
	})
	return code
}

// note sets a kernel's record of an attribute: in place, or at the end.
func (l *linker) note(k funID, rec infoRec) {
	info := l.funs[k].info
	if info == absent {
		return
	}
	if r := l.record(info, rec.attr); r != nil {
		r.value = rec.value
		return
	}
	l.append(info, rec)
}

// kernelStack is the MIN_STACK_SIZE of a kernel.
type kernelStack struct {
	kernel funID
	bytes  uint32
}

// answerForAll makes the only kernel of a link answer for every live function,
// reached or not: for the marks, the sparse mask and, from 13.0 on, barriers.
// 13.0 forgets the sparse masks where nothing was dead.
func (l *linker) answerForAll(k funID, need *facts) {
	dead := false
	var sum facts
	for i := range l.funs {
		dead = dead || !l.funs[i].live
		if l.funs[i].live {
			sum.add(&l.asks[i])
		}
	}
	need.marks |= sum.marks
	need.sparse |= sum.sparse
	if !l.prof.barrierAttr {
		return
	}
	need.barriers = max(need.barriers, sum.barriers)
	if !dead {
		need.sparse = need.sparse&sparseUnknown | l.asks[k].sparse
	}
}

// sparseUnknown is the mask of code that says nothing.
const sparseUnknown = 0x8000

// completeSparse gives defined functions without a SPARSE_MMA_MASK one that
// says so.
func (l *linker) completeSparse() {
	if l.arch.sm < 90 || !l.prof.infoLink {
		return
	}
	for i := range l.funs {
		f := &l.funs[i]
		if !f.live || f.text == absent || f.info != absent && l.record(f.info, cuda.AttrSparseMmaMask) != nil {
			continue
		}
		info := f.info
		if canonical := l.secs[f.text].fun; canonical != absent {
			info = l.funs[canonical].info
		}
		if info != absent {
			l.append(info, infoRec{format: cuda.FormatHalf, attr: cuda.AttrSparseMmaMask, value: sparseUnknown, sym: absent})
		}
	}
}

func (l *linker) setSparse(k funID, mask uint16) {
	if r := l.record(l.funs[k].info, cuda.AttrSparseMmaMask); r != nil {
		r.value = mask
	}
}

func (l *linker) setRegisters(k funID, n uint32) {
	f := &l.funs[k]
	if at := f.mod[modRegs]; at > 0 && n > f.regs {
		l.module[at-1].setWord(1, n)
	}
	if t := &l.secs[f.text]; l.prof.raiseRegs && n > uint32(t.regs) && n > f.regs {
		t.regs = uint8(n)
	}
}

// setFlagBarriers records the barriers in the code's sh_flags, where releases
// before 13.0 have them.
func (l *linker) setFlagBarriers(k funID, n uint32) {
	if l.prof.barrierAttr {
		return
	}
	t := &l.secs[l.funs[k].text]
	t.flags = t.flags&^cuda.SHFBarrierMask | cuda.SectionFlags(n)<<cuda.SHFBarrierShift&cuda.SHFBarrierMask
}

// ownBarriers moves the barriers of device functions from sh_flags, where
// older objects have them, to NUM_BARRIERS.
func (l *linker) ownBarriers() {
	if !l.prof.barrierAttr {
		return
	}
	for i := range l.funs {
		f := &l.funs[i]
		if !f.live || f.text == absent {
			continue
		}
		if !l.entry(funID(i)) {
			if n := uint16(l.secs[f.text].flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift); n > 0 {
				l.note(funID(i), infoRec{format: cuda.FormatByte, attr: cuda.AttrNumBarriers, value: n, sym: absent})
			}
		}
		l.secs[f.text].flags &^= cuda.SHFBarrierMask
	}
}

// setCRS writes the call-return stack: -1 where a cycle is reachable.
func (l *linker) setCRS(k funID, n int64, cyclic bool) {
	f := &l.funs[k]
	if cyclic {
		n = -1
	} else if n <= 0 {
		return
	}
	if r := l.record(f.info, cuda.AttrCrsStackSize); r != nil {
		r.setWord(0, uint32(n))
		return
	}
	rec := infoRec{format: cuda.FormatSized, attr: cuda.AttrCrsStackSize, value: 4, data: make([]byte, 4), sym: absent}
	rec.setWord(0, uint32(n))
	l.append(f.info, rec)
}

// externs calls visit for the functions of a function's EXTERNS that the driver
// must look up: those no module defined, and kernels, which code launches.
func (l *linker) externs(f funID, visit func(symID)) {
	if l.funs[f].info == absent {
		return
	}
	records := l.secs[l.funs[f].info].records()
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].attr != cuda.AttrExterns {
			continue
		}
		for _, s := range l.symList(records[i].list) {
			if l.staysExtern(s) {
				visit(s)
			}
		}
	}
}

// staysExtern reports whether an entry of EXTERNS stays.
func (l *linker) staysExtern(s symID) bool {
	return s != absent && (!l.syms[s].is(symDefined) || l.syms[s].other&cuda.STOEntry != 0)
}

// setExterns gives a kernel the EXTERNS of the code it answers for: its own
// first. The only kernel of a link has the last found first, at the end of its
// records unless nothing was added.
func (l *linker) setExterns(k funID, code []funID, only bool) {
	seen := make(map[symID]bool)
	var list []symID
	collect := func(f funID) {
		l.externs(f, func(s symID) {
			if !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		})
	}
	own := l.record(l.funs[k].info, cuda.AttrExterns)
	collect(k)
	mine := len(list)
	if only {
		clear(seen)
		list = list[:0]
	}
	for _, f := range code {
		collect(f)
	}
	switch {
	case len(list) == 0 || only && len(list) == mine:
		return
	case only:
		slices.Reverse(list)
		if own != nil {
			own.gone = true
		}
	case own != nil:
		own.list = l.newSymList(list)
		return
	}
	l.append(l.funs[k].info, infoRec{format: cuda.FormatSized, attr: cuda.AttrExterns, list: l.newSymList(list), sym: absent})
}

// warnStack warns once for each entry of the kernel's callee list from which
// a cycle can be reached.
func (l *linker) warnStack(k funID) {
	f := &l.funs[k]
	n := 0
	for _, g := range f.callees.list {
		if l.graph.cyclic[l.graph.comp[g]] {
			n++
		}
	}
	for _, p := range f.icalls {
		for _, g := range l.graph.matches(p) {
			if l.graph.cyclic[l.graph.comp[g]] {
				n++
			}
		}
	}
	for ; n > 0; n-- {
		l.stackWarning(k)
	}
}

// record returns the record of an attribute in an .nv.info.<f>. A second name of
// a kernel has no such section.
func (l *linker) record(id secID, attr cuda.InfoAttr) *infoRec {
	if id == absent {
		return nil
	}
	records := l.secs[id].records()
	for i := range records {
		if r := &records[i]; r.attr == attr && !r.gone {
			return r
		}
	}
	return nil
}

func (l *linker) append(id secID, r infoRec) {
	info := l.infoOf(id)
	info.added = append(info.added, r)
}
