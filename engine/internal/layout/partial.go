package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// A relocatable link (-r, from 13.0 on) merges and leaves the layout for
// later, with two oddities that the final link can't undo: a static shared
// variable's st_value still is its alignment, and relocations to it are
// applied with that; and dynamic shared variables get a place at once, each
// kernel's own symbol standing for them.

// layoutPartial does what a relocatable link does of layout.
func (l *Layout) layoutPartial() {
	if !l.Opt.AllowUndefined {
		l.unplaceUndefined()
	}
	for _, k := range l.AllKernels() {
		if own := l.bank2(k); own != model.Absent {
			l.Secs[own].Flags |= l.InfoFlags() // releases before 12.x have none
		}
	}
	vars := l.sharedVariables()
	if len(vars) == 0 {
		return
	}
	dynamic := false
	for _, v := range vars {
		dynamic = dynamic || l.Syms[v].IsExternShared()
	}
	poolAlign := uint64(1)
	if pool := l.sizePool(vars); pool != model.Absent {
		poolAlign = l.Secs[pool].Align
	}
	own := make(map[model.SecID][]model.SymID)
	for _, v := range vars {
		if l.ownedShared(v) {
			own[l.Syms[v].Sec] = append(own[l.Syms[v].Sec], v)
		}
	}
	users := l.externUsers()
	kernels := l.AllKernels()
	for i, v := range l.findBare(kernels) {
		own[l.Syms[v].Sec] = append(own[l.Syms[v].Sec], v)
		if i == 0 {
			l.NullValue = l.Syms[v].Value
		}
	}
	highest := uint64(0)
	for _, k := range kernels {
		id, size := l.sharedSection(k), uint64(0)
		if id != model.Absent {
			size = l.sumSizes(own[id])
		}
		if users[k].most > 0 {
			size = l.dynamicStart(&users[k], size)
			highest = max(highest, size)
			if !l.ShowsDebug() {
				l.standIn(k, size)
			}
			if id == model.Absent {
				id = l.newShared(k)
			}
			l.Secs[id].Align = max(l.Secs[id].Align, DynamicAlign)
		}
		if id != model.Absent {
			l.Secs[id].Size = size
		}
	}
	direct := make(map[model.SymID]bool)
	for _, k := range kernels {
		id := l.Funs[k].Shared
		if id == model.Absent {
			continue
		}
		sec := &l.Secs[id]
		if users[k].most > 0 && l.ShowsDebug() {
			sec.Size = highest
			l.sharedUses(k, func(v model.SymID) { direct[v] = true })
		}
		sec.Align = max(sec.Align, poolAlign)
		if users[k].most > 0 && !l.ShowsDebug() {
			sec.Size = model.AlignUp(sec.Size, sec.Align)
		}
		sec.Present = sec.Size > 0 || dynamic && sec.Align == DynamicAlign
		sec.Raise()
	}
	if !dynamic {
		return
	}
	for _, v := range vars {
		if s := &l.Syms[v]; s.IsExternShared() {
			s.Sec = l.PoolShared()
			if l.ShowsDebug() || !model.IsAlignment(s.Value) {
				s.Value = 0
			}
			s.Flags |= model.SymDefined | model.SymDynamic
			if direct[v] {
				s.Value = highest
			}
		}
	}
	pool := &l.Secs[l.PoolShared()]
	pool.Align = max(pool.Align, DynamicAlign)
	pool.Present = true
	pool.Raise()
}

// dynamicStart is where a kernel's dynamic variables begin behind size bytes of its own:
// no lower than the alignment that the first of them asks for, if it does.
func (l *Layout) dynamicStart(user *externUser, size uint64) uint64 {
	size = max(size, l.firstShared())
	if l.ShowsDebug() {
		return model.AlignUp(size, DynamicAlign)
	}
	return model.AlignUp(max(size, user.asked), user.first)
}

// sizePool gives .nv_debug.shared the sum of its variables' sizes, and where
// that is less than its alignment the alignment on top.
func (l *Layout) sizePool(vars []model.SymID) model.SecID {
	pool := l.Unowned(l.Names.ID(".nv_debug.shared"))
	if pool == model.Absent {
		return model.Absent
	}
	out := &l.Secs[pool]
	in := vars[:0:0]
	for _, v := range vars {
		if l.Syms[v].Sec == pool {
			in = append(in, v)
		}
	}
	out.Size = l.sumSizes(in)
	out.Present = out.Size > 0
	out.Raise()
	return pool
}

// sumSizes adds up the sizes of variables.
func (l *Layout) sumSizes(vars []model.SymID) uint64 {
	sum := uint64(0)
	for _, v := range vars {
		sum += l.Syms[v].Size
	}
	return sum
}

// standIn makes the symbol that stands for the dynamic variables in a kernel's
// code and turns the kernel's relocations to them into ones to it.
func (l *Layout) standIn(k model.FunID, off uint64) {
	flags := model.SymLaid
	if l.Release.WeakListed {
		flags |= model.SymGlobal
	}
	id := l.NewSymbol(model.Symbol{Name: l.Names.ID("externsharedinstance"), Info: uint8(cuda.STBWeak)<<4 | uint8(cuda.STTCudaObject),
		Other: cuda.STOShared | cuda.STOInternal, Sec: model.Absent, Value: off, Flags: flags})
	for r := l.Parts[l.Funs[k].Text].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
		for i := range l.Parts[r].Relocs {
			if rec := &l.Parts[r].Relocs[i]; rec.Sym != model.Absent && l.Syms[rec.Sym].IsExternShared() {
				rec.Sym = id
			}
		}
	}
}
