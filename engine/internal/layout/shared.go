package layout

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// Shared memory. Variables of a kernel stand in its .nv.shared.<k>; those of
// no kernel in .nv_debug.shared. A variable that one kernel uses moves to that
// kernel; those that several use, or none, are coloured: two without a common
// user may share an address. Then each kernel's own follow, and the dynamic
// variables ("extern") lie behind everything.

// sharedLayout is the state of this layout.
type sharedLayout struct {
	Kernels  []model.FunID // live, by symbol; a user is an index into this
	reachers *reach.Reachers
	users    map[model.SymID]reach.Kernels // by variable: kernels that reach a use
	named    map[model.SymID]bool          // variables that some relocation names, even of dead code
	Multi    []model.SymID                 // coloured variables
	ends     []uint64                      // by kernel: end of what it holds
	extern   []int64                       // by kernel: offset of its dynamic variables, -1 for none
	dynAlign []uint64                      // by kernel: the greatest alignment of its dynamic variables
	first    uint64                        // lowest address that may be given: 1 with --reserve-null-pointer
	poolEnd  uint64                        // end of the colours
	ExternAt map[model.FunID]uint64        // by function: the dynamic variables' offset as it sees them
	instance bool                          // some kernel has dynamic variables
	own      map[model.SecID][]model.SymID // variables of a kernel's own section, by creation
	homes    []int                         // by kernel: the one whose section takes what it alone uses
	late     map[model.SecID]bool          // sections made for dynamic variables alone
	bare     []model.SymID                 // what stands for sections that have a size and no symbol
	isBare   map[model.SecID]bool          // those sections
}

// layoutShared places every variable in shared memory.
func (l *Layout) layoutShared() {
	vars := l.sharedVariables()
	if len(vars) == 0 && !l.hasDynamic() {
		return
	}
	s := &sharedLayout{Kernels: l.AllKernels(), isBare: make(map[model.SecID]bool), users: make(map[model.SymID]reach.Kernels), named: make(map[model.SymID]bool),
		late: make(map[model.SecID]bool)}
	s.first, s.poolEnd = l.firstShared(), l.firstShared()
	s.reachers = l.NewReachers(s.Kernels)
	l.Shared = s
	pooled := l.splitOwned(s, vars)
	l.findUsers(s)
	s.bare = l.findBare(s.Kernels)
	for _, v := range s.bare {
		s.own[l.Syms[v].Sec] = append(s.own[l.Syms[v].Sec], v)
		s.isBare[l.Syms[v].Sec] = true
	}
	single := l.splitSingle(s, pooled)
	l.colour(s)
	s.joinEnds()
	for k, f := range s.Kernels {
		if s.homes[k] == k {
			l.placeOwn(s, k, f, single[k])
		}
		s.ends[k] = s.ends[s.homes[k]]
	}
	for k, f := range s.Kernels {
		if s.ends[k] > 0 && l.sharedSection(f) == model.Absent {
			l.newShared(f)
		}
	}
	if len(s.bare) > 0 {
		// As if symbol 0 were that of each: the first kernel's place, and every one's reserve.
		l.NullValue = l.Syms[s.bare[0]].Value + l.bareReserves(s)
	}
	l.placeExtern(s)
	for k, f := range s.Kernels {
		if s.extern[k] >= 0 && l.sharedSection(f) == model.Absent {
			l.nameInstance()
			id, made := l.newShared(f)
			s.late[id] = made // of a kernel that a filter hides
		}
	}
	l.showDynamic(s)
	l.sizeShared(s)
}

// splitOwned finds the variables of kernels' own sections, and returns the others.
func (l *Layout) splitOwned(s *sharedLayout, vars []model.SymID) (pooled []model.SymID) {
	s.own = make(map[model.SecID][]model.SymID)
	for _, v := range vars {
		if l.ownedShared(v) {
			l.Syms[v].Flags |= model.SymOwned
			s.own[l.Syms[v].Sec] = append(s.own[l.Syms[v].Sec], v)
			continue
		}
		pooled = append(pooled, v)
		if l.Syms[v].Is(model.SymTwice) {
			pooled = append(pooled, v)
		}
	}
	return pooled
}

// splitSingle finds the variables that are coloured, and returns by kernel those that it
// alone uses. The largest come first.
func (l *Layout) splitSingle(s *sharedLayout, pooled []model.SymID) (single [][]model.SymID) {
	order := listSort(pooled, func(a, b model.SymID) bool { return l.Syms[a].Size > l.Syms[b].Size }, true)
	single = make([][]model.SymID, len(s.Kernels))
	s.homes = l.homesOf(s.Kernels)
	for _, v := range order {
		if l.Syms[v].IsExternShared() {
			continue
		}
		users := s.users[v]
		switch k, only := users.Only(); {
		case only:
			k = s.homes[k]
			if single[k] = append(single[k], v); l.sharedSection(s.Kernels[k]) == model.Absent {
				l.newShared(s.Kernels[k])
			}
		case len(users) > 0 || s.named[v]:
			s.Multi = append(s.Multi, v)
		}
	}
	return single
}

// firstShared is the lowest address of a variable.
func (l *Layout) firstShared() uint64 {
	if l.Opt.ReserveNull {
		return 1
	}
	return 0
}

// sharedVariables returns the variables in shared memory by the moment of
// their definition, dynamic ones by that of their creation.
func (l *Layout) sharedVariables() []model.SymID {
	var vars []model.SymID
	for i := range l.Syms {
		s := &l.Syms[i]
		if !s.IsShared() || s.Is(model.SymDead) || !s.Is(model.SymDefined) && !s.IsExternShared() {
			continue
		}
		if s.Sec >= 0 && (l.Secs[s.Sec].Deleted || l.Secs[s.Sec].Owner != model.Absent && l.Secs[l.Secs[s.Sec].Owner].Deleted) {
			continue
		}
		vars = append(vars, model.SymID(i))
	}
	slices.SortStableFunc(vars, func(a, b model.SymID) int { return int(l.Syms[a].At) - int(l.Syms[b].At) })
	return vars
}

// ownedShared reports whether a variable stands in a kernel's own section.
func (l *Layout) ownedShared(v model.SymID) bool {
	sec := l.Syms[v].Sec
	return sec >= 0 && l.Secs[sec].Owner != model.Absent
}

// sharedUses calls visit for every relocation of a function's code that names
// a variable in shared memory.
func (l *Layout) sharedUses(f model.FunID, visit func(model.SymID)) {
	t := l.Funs[f].Text
	if t == model.Absent {
		return
	}
	for r := l.Parts[t].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
		for i := range l.Parts[r].Relocs {
			if v := l.Parts[r].Relocs[i].Sym; v != model.Absent && l.Syms[v].IsShared() {
				visit(v)
			}
		}
	}
}

// findUsers finds, for each variable, the kernels that reach a use.
func (l *Layout) findUsers(s *sharedLayout) {
	naming := make(map[model.SymID][]model.FunID)
	for f := range l.Funs {
		last := model.SymID(model.Absent)
		l.sharedUses(model.FunID(f), func(v model.SymID) {
			if v == last {
				return
			}
			last = v
			if list := naming[v]; len(list) == 0 || list[len(list)-1] != model.FunID(f) {
				naming[v] = append(list, model.FunID(f))
			}
		})
	}
	for v, list := range naming {
		s.named[v] = true
		s.users[v] = s.reachedBy(list)
	}
}

// reachedBy returns the kernels that reach any of some functions.
func (s *sharedLayout) reachedBy(list []model.FunID) reach.Kernels {
	if len(list) == 1 {
		return s.reachers.Shown(list[0])
	}
	sets := make([]reach.Kernels, len(list))
	for i, f := range list {
		sets[i] = s.reachers.Shown(f)
	}
	return reach.Union(sets...)
}

// place gives a variable its offset.
func (l *Layout) place(v model.SymID, off uint64) {
	l.SharedAlign[v] = l.Syms[v].Value
	l.Syms[v].Value = off
	l.Syms[v].Flags |= model.SymLaid
}

// homesOf returns, by kernel, the first of its name: sections of theirs are looked up by name, so that static
// kernels of one name have one.
func (l *Layout) homesOf(kernels []model.FunID) []int {
	homes := make([]int, len(kernels))
	first := make(map[names.ID]int)
	for k, f := range kernels {
		name := l.Syms[l.Funs[f].Sym].Name
		if _, ok := first[name]; !ok {
			first[name] = k
		}
		homes[k] = first[name]
	}
	return homes
}

// joinEnds has what the kernels of one section share with others end where the last of them does; where
// the first shares nothing nvlink doesn't ask the others.
func (s *sharedLayout) joinEnds() {
	for k, home := range s.homes {
		if s.ends[home] > 0 {
			s.ends[home] = max(s.ends[home], s.ends[k])
		}
	}
}

// placeOwn places what only kernel f uses, behind the coloured variables that
// it uses.
func (l *Layout) placeOwn(s *sharedLayout, k int, f model.FunID, single []model.SymID) {
	id := l.sharedSection(f)
	own := append(slices.Clone(s.own[id]), single...)
	own = l.ownOrder(own)
	if len(own) == 0 {
		return
	}
	if id == model.Absent {
		id, _ = l.newShared(f)
	}
	sec := &l.Secs[id]
	sec.Align = 1
	for _, v := range own {
		align := l.Syms[v].Value
		off := model.AlignUp(max(s.ends[k], s.first), align)
		l.place(v, off)
		l.Syms[v].Sec = id
		if l.Release.OwnSharedLocal {
			l.Syms[v].Info = uint8(cuda.STBLocal)<<4 | l.Syms[v].Info&0xf
		}
		s.ends[k] = off + l.Syms[v].Size
		sec.Align = max(sec.Align, align)
	}
}

// ownOrder sorts a kernel's variables: the largest alignment first, and among
// those the smallest.
func (l *Layout) ownOrder(own []model.SymID) []model.SymID {
	return listSort(own, func(a, b model.SymID) bool {
		x, y := &l.Syms[a], &l.Syms[b]
		if x.Value != y.Value {
			return x.Value > y.Value
		}
		return x.Size < y.Size
	}, false)
}

// sharedSection returns .nv.shared.<k>; a kernel that a filter hides has one
// only where it, or another of its name, has variables of its own.
func (l *Layout) sharedSection(k model.FunID) model.SecID {
	f := &l.Funs[k]
	if f.Shared == model.Absent {
		f.Shared = l.SharedNamed(l.SharedName(l.Syms[f.Sym].Name))
	}
	return f.Shared
}

// newShared gives a kernel that reading gave none .nv.shared.<k>; made is false where another has it.
func (l *Layout) newShared(k model.FunID) (id model.SecID, made bool) {
	f := &l.Funs[k]
	f.Shared, made = l.SharedFor(f.Text, l.Syms[f.Sym].Name)
	return f.Shared, made
}

// defineExtern gives dynamic variables a place that a debugger finds.
func (l *Layout) defineExtern(offset func(model.SymID) uint64) {
	for i := range l.Syms {
		if !l.Syms[i].IsExternShared() {
			continue
		}
		pool := l.PoolShared()
		v := &l.Syms[i]
		v.Sec, v.Value = pool, offset(model.SymID(i))
		v.Flags |= model.SymDefined | model.SymDynamic
	}
}

// nameInstance enters the name of the stand-in for dynamic variables where
// strings are entered as names come.
func (l *Layout) nameInstance() {
	if l.Release.EarlyStrings && l.Shared != nil && l.Shared.instance && !l.ShowsDebug() {
		l.Str.Add(l.Names.ID("externsharedinstance"))
	}
}

// showDynamic gives dynamic variables the place they get by accident with
// --preserve-relocs: where the pool has an end, the driver's reserve is added
// to the value of each of its symbols, and theirs is still -1.
func (l *Layout) showDynamic(s *sharedLayout) {
	if !l.Opt.PreserveRelocs || l.ShowsDebug() || l.sharedReserve() == 0 || len(s.Multi) == 0 {
		return
	}
	for i := range l.Syms {
		if v := &l.Syms[i]; v.IsExternShared() {
			v.Sec, v.Value = l.PoolShared(), model.Unplaced
			v.Flags |= model.SymDynamic
		}
	}
}

// SharedSymbol returns st_value and st_other of a variable in shared memory.
func (l *Layout) SharedSymbol(s *model.Symbol) (value uint64, other uint8) {
	value, other = s.Value, s.Other
	if l.Secs[s.Sec].Owner != model.Absent || l.Shared != nil && len(l.Shared.Multi) > 0 {
		value += l.sharedReserve()
	}
	if l.Opt.PreserveRelocs && !l.DebugShows(s) {
		other |= cuda.STOInternal
	}
	return value, other
}

// DebugShows reports whether -g alone puts a variable into the tables.
func (l *Layout) DebugShows(s *model.Symbol) bool {
	return l.ShowsDebug() && (l.Release.DebugSingleShared || l.Secs[s.Sec].Owner == model.Absent || s.Is(model.SymOwned))
}

// hasDynamic reports whether any variable is dynamic, used or not, or was until
// an earlier link gave it a place.
func (l *Layout) hasDynamic() bool {
	for i := range l.Syms {
		if v := &l.Syms[i]; v.IsShared() && (v.Size == 0 || v.Is(model.SymSized)) && !v.Is(model.SymDead) {
			return true
		}
	}
	return false
}

// DriverReserve is how much of a kernel's shared memory the driver keeps from
// sm_90 on.
const DriverReserve = 0x400

// sharedReserve is what the driver keeps of each kernel's shared memory; the
// section sizes of sm_90 count it in, the addresses don't.
func (l *Layout) sharedReserve() uint64 {
	if l.Opt.NoReserved {
		return 0
	}
	return l.targetReserve()
}

// targetReserve is what a driver for the target wants to keep.
func (l *Layout) targetReserve() uint64 {
	if l.Dialect.SharedReserve && l.Arch.SM >= 90 { // elsewhere the finalizer adds it
		return DriverReserve
	}
	return 0
}

// UsedShared is how much shared memory a kernel's section asks for, beside what the driver keeps:
// nvlink takes that off also where an option says that nothing is kept (12.4.131, 13.0.88, 13.5.37).
func (l *Layout) UsedShared(k model.FunID) uint64 {
	id := l.Funs[k].Shared
	if id == model.Absent {
		return 0
	}
	size := l.Secs[id].Size
	return size - min(size, l.targetReserve())
}

// sharedAlign is the alignment of a kernel's section: of its own variables, the dynamic
// ones it reaches, and those that kernels share, which ask for pool; not so where it is a late one.
func (l *Layout) sharedAlign(s *sharedLayout, k int, pool uint64) uint64 {
	id := l.Funs[s.Kernels[k]].Shared
	switch {
	case id == model.Absent:
		return max(s.dynAlign[k], pool)
	case s.late[id]:
		pool = 0
	}
	return max(s.dynAlign[k], pool, l.Secs[id].Align)
}

// poolAlign is the alignment that kernels' sections take from the variables they share,
// 0 where there are none.
func (l *Layout) poolAlign(s *sharedLayout) uint64 {
	pool := l.Unowned(l.Names.ID(".nv_debug.shared"))
	if pool == model.Absent || len(s.Multi) == 0 {
		return 0
	}
	return l.Secs[pool].Align
}

// bareReserves sums up what the driver keeps of the sections with a size and no symbol.
func (l *Layout) bareReserves(s *sharedLayout) (sum uint64) {
	for k, f := range s.Kernels {
		if s.homes[k] == k && s.isBare[l.Funs[f].Shared] && !l.IsHidden(&l.Funs[f]) {
			sum += l.sharedReserve()
		}
	}
	return sum
}

// sizeShared sets size and alignment of every kernel's section.
func (l *Layout) sizeShared(s *sharedLayout) {
	pool := l.Unowned(l.Names.ID(".nv_debug.shared"))
	poolAlign, dynamic := l.poolAlign(s), l.hasDynamic()
	for k, home := range s.homes {
		s.dynAlign[home], s.extern[home] = max(s.dynAlign[home], s.dynAlign[k]), max(s.extern[home], s.extern[k])
	}
	for k, f := range s.Kernels {
		if l.Funs[f].Shared == model.Absent || s.homes[k] != k {
			continue
		}
		sec := &l.Secs[l.Funs[f].Shared]
		sec.Size, l.Parts[l.Funs[f].Shared].Chunks = s.ends[k], nil
		sec.Align = l.sharedAlign(s, k, poolAlign)
		if s.extern[k] >= 0 {
			sec.Size = uint64(s.extern[k])
			if l.Release.AlignsDynamic {
				sec.Size = model.AlignUp(sec.Size, sec.Align)
			}
		}
		if s.isBare[l.Funs[f].Shared] && l.IsHidden(&l.Funs[f]) {
			sec.Present = true // without the driver's reserve
			continue
		}
		if sec.Size > 0 || dynamic && (sec.Align == DynamicAlign || sec.Align > DynamicAlign && l.sharedReserve() > 0) {
			sec.Size += l.sharedReserve()
			sec.Present = true
		}
	}
	if pool == model.Absent {
		return
	}
	out := &l.Secs[pool]
	out.Size, l.Parts[pool].Chunks = 0, nil
	if dynamic && (l.ShowsDebug() || l.Opt.PreserveRelocs) {
		out.Size = l.sharedReserve()
	}
	if len(s.Multi) > 0 && (l.ShowsDebug() || l.Opt.PreserveRelocs) {
		out.Size = s.poolEnd + l.sharedReserve()
		out.Present = true
	}
	if dynamic && (len(s.Multi) == 0 || out.Align <= DynamicAlign) {
		out.Align = DynamicAlign
		out.Present = true
	}
}
