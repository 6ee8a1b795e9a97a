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

// partialLayout is a relocatable link's layout of shared memory under way.
type partialLayout struct {
	*Layout
	vars    []model.SymID
	dynamic bool // some variable is dynamic

	kernels   []model.FunID
	users     []externUser
	own       map[model.SecID][]model.SymID // the variables of a kernel's section
	poolAlign uint64
	highest   map[model.SymID]uint64 // where kernels that name it have a dynamic variable at most
	direct    map[model.SymID]bool   // with -g: what a kernel itself uses
	late      map[model.SecID]bool   // sections that are made here, of kernels that a filter hides
}

// layoutPartial does what a relocatable link does of layout.
func (l *Layout) layoutPartial() {
	if !l.Opt.AllowUndefined {
		l.unplaceUndefined()
	}
	kernels := l.AllKernels()
	all := make([]model.FunID, len(l.Funs))
	for i := range all {
		all[i] = model.FunID(i)
	}
	l.linkBanks(all)
	p := partialLayout{Layout: l, vars: l.sharedVariables(), kernels: kernels, poolAlign: 1,
		highest: make(map[model.SymID]uint64), direct: make(map[model.SymID]bool), late: make(map[model.SecID]bool)}
	if len(p.vars) == 0 {
		return
	}
	for _, v := range p.vars {
		p.dynamic = p.dynamic || l.Syms[v].IsExternShared()
	}
	if pool := l.sizePool(p.vars); pool != model.Absent {
		p.poolAlign = l.Secs[pool].Align
	}
	p.findOwn()
	p.users = l.externUsers()
	for _, k := range kernels {
		p.sizeKernel(k)
	}
	for _, k := range kernels {
		p.alignKernel(k)
	}
	if p.dynamic {
		p.placeDynamic()
	}
}

// findOwn finds the variables of each kernel's section.
func (p *partialLayout) findOwn() {
	p.own = make(map[model.SecID][]model.SymID)
	for _, v := range p.vars {
		if p.ownedShared(v) {
			p.own[p.Syms[v].Sec] = append(p.own[p.Syms[v].Sec], v)
		}
	}
	for i, v := range p.findBare(p.kernels) {
		p.own[p.Syms[v].Sec] = append(p.own[p.Syms[v].Sec], v)
		if i == 0 {
			p.NullValue = p.Syms[v].Value
		}
	}
}

// sizeKernel gives a kernel's section the size of its variables. Of a kernel that uses
// dynamic ones it reaches to where they begin.
func (p *partialLayout) sizeKernel(k model.FunID) {
	id, size := p.sharedSection(k), uint64(0)
	if id != model.Absent {
		size = p.sumSizes(p.own[id])
	}
	if user := &p.users[k]; user.most > 0 {
		size = p.dynamicStart(user, size)
		p.highest[user.of] = max(p.highest[user.of], size)
		if !p.ShowsDebug() {
			p.standIn(k, size)
		}
		if id == model.Absent {
			id = p.newShared(k)
			p.late[id] = true
		}
		p.Secs[id].Align = max(p.Secs[id].Align, DynamicAlign)
	}
	if id != model.Absent {
		p.Secs[id].Size = size
	}
}

// alignKernel gives a kernel's section its alignment, and the size that follows from it.
func (p *partialLayout) alignKernel(k model.FunID) {
	id := p.Funs[k].Shared
	if id == model.Absent {
		return
	}
	sec, uses := &p.Secs[id], p.users[k].most > 0
	if uses && p.ShowsDebug() {
		sec.Size = p.highest[p.users[k].of]
		p.sharedUses(k, func(v model.SymID) { p.direct[v] = true })
	}
	if p.late[id] {
		sec.Align = max(sec.Align, p.users[k].most)
	} else {
		sec.Align = max(sec.Align, p.poolAlign)
	}
	if uses && !p.ShowsDebug() {
		sec.Size = model.AlignUp(sec.Size, sec.Align)
	}
	sec.Present = sec.Size > 0 || p.dynamic && sec.Align == DynamicAlign
	sec.Raise()
}

// placeDynamic gives the dynamic variables a place in the pool.
func (p *partialLayout) placeDynamic() {
	for _, v := range p.vars {
		if s := &p.Syms[v]; s.IsExternShared() {
			s.Sec = p.PoolShared()
			if p.ShowsDebug() || !model.IsAlignment(s.Value) {
				s.Value = 0
			}
			s.Flags |= model.SymDefined | model.SymDynamic
			if p.direct[v] {
				s.Value = p.highest[v]
			}
		}
	}
	pool := &p.Secs[p.PoolShared()]
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
