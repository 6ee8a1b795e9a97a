package layout

import (
	"math"
	"slices"

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
	highest   map[model.SymID]uint64      // where kernels that name it, or one of its group, have a dynamic variable at most
	group     map[model.SymID]model.SymID // with -g: another variable of those that begin at one place
	direct    map[model.SymID]bool        // with -g: what a kernel itself uses
	late      map[model.SecID]bool        // sections that are made here, of kernels that a filter hides
	sizes     map[model.SecID]uint64      // of kernels' sections, which several kernels of one name may fill
}

// layoutPartial does what a relocatable link does of layout.
func (l *Layout) layoutPartial() {
	if !l.Opt.AllowUndefined {
		l.unplaceUndefined()
	}
	kernels := l.withLikeDriver(l.AllKernels())
	all := make([]model.FunID, len(l.Funs))
	for i := range all {
		all[i] = model.FunID(i)
	}
	l.linkBanks(all)
	p := partialLayout{Layout: l, vars: l.sharedVariables(), kernels: kernels, poolAlign: 1,
		highest: make(map[model.SymID]uint64), group: make(map[model.SymID]model.SymID), direct: make(map[model.SymID]bool), late: make(map[model.SecID]bool), sizes: make(map[model.SecID]uint64)}
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
		if l.Funs[k].LikeDriver {
			p.users[k] = externUser{} // what it uses itself doesn't count
		}
	}
	for _, k := range kernels {
		if p.users[k].most == 0 {
			p.sizeKernel(k)
		}
	}
	for _, k := range p.byRelocs() {
		p.sizeKernel(k)
	}
	for _, k := range kernels {
		p.alignKernel(k)
	}
	p.raiseKernels()
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
	for id, vars := range p.own {
		p.Secs[id].Align = 1 // what an input's header says doesn't count
		for _, v := range vars {
			p.Secs[id].Align = max(p.Secs[id].Align, p.Syms[v].Value)
		}
	}
}

// sizeKernel gives a kernel's section the size of its variables. Of a kernel that uses
// dynamic ones it reaches to where they begin.
func (p *partialLayout) sizeKernel(k model.FunID) {
	id, size := p.sharedSection(k), uint64(0)
	if id != model.Absent {
		size = max(p.sumSizes(p.own[id]), p.sizes[id])
	}
	if user := &p.users[k]; user.most > 0 {
		align := user.most
		if id != model.Absent {
			align = max(p.Secs[id].Align, p.asked(k, id))
		}
		size = p.dynamicStart(user, size, align)
		p.dynamicUses(k, func(v model.SymID) { p.join(user.of, v, size) })
		if !p.ShowsDebug() {
			p.standIn(k, size)
		}
		if id == model.Absent {
			made := false
			id, made = p.newShared(k)
			p.late[id] = made
		}
		p.Secs[id].Align = max(p.Secs[id].Align, DynamicAlign)
		if !p.ShowsDebug() && p.Release.AlignsDynamic {
			size = model.AlignUp(size, max(p.Secs[id].Align, p.asked(k, id)))
		}
	}
	if id != model.Absent {
		p.sizes[id] = size
	}
}

// byRelocs returns the kernels that use dynamic variables by the section of the first record that
// says so: nvlink makes what stands for the variables as it meets these records.
func (p *partialLayout) byRelocs() []model.FunID {
	var users []model.FunID
	first := make(map[model.FunID]model.SecID)
	for _, k := range p.kernels {
		if p.users[k].most > 0 {
			users = append(users, k)
			first[k] = p.firstDynamic(k)
		}
	}
	slices.SortStableFunc(users, func(a, b model.FunID) int { return int(first[a]) - int(first[b]) })
	return users
}

// firstDynamic finds the section of the first record of a kernel's code that names a dynamic variable.
func (p *partialLayout) firstDynamic(k model.FunID) model.SecID {
	first := model.SecID(math.MaxInt32)
	for r := p.Parts[p.Funs[k].Text].FirstRel; r != model.Absent; r = p.Parts[r].NextRel {
		if slices.ContainsFunc(p.Parts[r].Relocs, func(rec model.Reloc) bool {
			return rec.Sym != model.Absent && p.Syms[rec.Sym].IsExternShared()
		}) {
			first = min(first, r)
		}
	}
	return first
}

// join has two dynamic variables that a kernel names begin at one place, which is size at least.
func (p *partialLayout) join(v, other model.SymID, size uint64) {
	v, other = p.root(v), p.root(other)
	p.highest[v] = max(p.highest[v], p.highest[other], size)
	if v != other {
		p.group[other] = v
	}
}

// root is the variable that represents those that begin where v does.
func (p *partialLayout) root(v model.SymID) model.SymID {
	for {
		next, ok := p.group[v]
		if !ok {
			return v
		}
		if far, ok := p.group[next]; ok {
			p.group[v] = far
		}
		v = next
	}
}

// dynamicUses calls visit for every record of a kernel's code that names a dynamic variable.
func (p *partialLayout) dynamicUses(k model.FunID, visit func(model.SymID)) {
	p.sharedUses(k, func(v model.SymID) {
		if p.Syms[v].IsExternShared() {
			visit(v)
		}
	})
}

// asked is what the variables that a kernel uses besides its own ask of its section's alignment: the dynamic
// ones where the section is made for them, else those that kernels share.
func (p *partialLayout) asked(k model.FunID, id model.SecID) uint64 {
	if p.late[id] {
		return p.users[k].most
	}
	return p.poolAlign
}

// alignKernel gives a kernel's section its alignment, and with -g the size that its dynamic variables have.
func (p *partialLayout) alignKernel(k model.FunID) {
	id := p.Funs[k].Shared
	if id == model.Absent {
		return
	}
	sec := &p.Secs[id]
	sec.Size = p.sizes[id]
	if p.users[k].most > 0 && p.ShowsDebug() {
		p.dynamicUses(k, func(v model.SymID) {
			p.sizes[id] = max(p.sizes[id], p.highest[p.root(v)])
			p.direct[v] = true
		})
		sec.Size = p.sizes[id]
	}
	sec.Align = max(sec.Align, p.asked(k, id))
}

// raiseKernels says of each kernel's section, of which several of one name have one, whether it stays.
func (p *partialLayout) raiseKernels() {
	done := make(map[model.SecID]bool)
	for _, k := range p.kernels {
		id := p.Funs[k].Shared
		if id == model.Absent || done[id] {
			continue
		}
		done[id] = true
		sec := &p.Secs[id]
		sec.Present = sec.Size > 0 || p.dynamic && sec.Align == DynamicAlign
		sec.Raise()
	}
}

// placeDynamic gives the dynamic variables a place in the pool.
func (p *partialLayout) placeDynamic() {
	for _, v := range p.vars {
		if s := &p.Syms[v]; s.IsExternShared() {
			s.Sec = p.PoolShared()
			if p.ShowsDebug() || !model.IsDynamicAlignment(s.Value) {
				s.Value = 0
			}
			s.Flags |= model.SymDefined | model.SymDynamic
			if p.direct[v] {
				s.Value = p.highest[p.root(v)]
			}
		}
	}
	pool := &p.Secs[p.PoolShared()]
	pool.Align = max(pool.Align, DynamicAlign)
	pool.Present = true
	pool.Raise()
}

// dynamicStart is where a kernel's dynamic variables begin after size bytes of its own:
// no lower than the alignment that the first of them asks for, if it does. A debugger finds them
// at a multiple of the section's alignment, where the release aligns them.
func (l *Layout) dynamicStart(user *externUser, size, align uint64) uint64 {
	size = max(size, l.firstShared())
	if l.ShowsDebug() {
		if !l.Release.AlignsDynamic {
			align = DynamicAlign
		}
		return model.AlignUp(size, max(align, DynamicAlign))
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

// standIn makes the symbol that represents the dynamic variables in a kernel's
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
