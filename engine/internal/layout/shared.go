package layout

import (
	"cmp"
	"iter"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// Shared memory. Variables of a kernel are in its .nv.shared.<k>; those of
// no kernel in .nv_debug.shared. A variable that one kernel uses moves to that
// kernel; those that several use, or none, are coloured: two without a common
// user may share an address. Then each kernel's own follow, and the dynamic
// variables ("extern") lie after everything.

// sharedLayout is the state of this layout.
type sharedLayout struct {
	Kernels  []model.FunID // live, by symbol; a user is an index into this
	reachers *reach.Reachers
	users    map[model.SymID]reach.Kernels // by variable: kernels that reach a use
	naming   map[model.SymID][]model.FunID // by variable: functions that name it, dead ones too
	dynamic  []externUser                  // by function
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
	if len(vars) == 0 && !l.hasDynamic() && !l.hasBare() {
		return
	}
	s := &sharedLayout{Kernels: l.withLikeDriver(l.AllKernels()), isBare: make(map[model.SecID]bool), users: make(map[model.SymID]reach.Kernels),
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
	l.makeLate(s)
	l.showDynamic(s)
	l.sizeShared(s)
}

// makeLate makes sections of kernels that a filter hides and that have dynamic variables alone. They are in the
// order of the functions that use these, and of those that reach one function the last is first.
func (l *Layout) makeLate(s *sharedLayout) {
	late := false
	for k, f := range s.Kernels {
		late = late || s.extern[k] >= 0 && l.sharedSection(f) == model.Absent
	}
	if !late {
		return
	}
	l.nameInstance()
	var users []model.FunID
	for f, user := range s.dynamic {
		if user.most > 0 {
			users = append(users, model.FunID(f))
		}
	}
	for k := range l.reaching(s, users) {
		if f := s.Kernels[k]; s.extern[k] >= 0 && l.sharedSection(f) == model.Absent {
			id, made := l.newShared(f)
			s.late[id] = made
		}
	}
}

// reaching goes through the kernels that reach some functions, as nvlink comes to them: the functions as they were
// read, and of the kernels of one the last first.
func (l *Layout) reaching(s *sharedLayout, functions []model.FunID) iter.Seq[int] {
	slices.SortStableFunc(functions, l.byReading)
	return func(yield func(int) bool) {
		for _, f := range functions {
			for _, k := range s.lastFirst(f) {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// lastFirst goes through the kernels that reach a function, backward.
func (s *sharedLayout) lastFirst(f model.FunID) iter.Seq2[int, int] {
	return slices.Backward(slices.Collect(s.reachers.Shown(f).All()))
}

// byReading orders functions as they were read: those that an input names without a definition before its own.
func (l *Layout) byReading(a, b model.FunID) int {
	at := func(f *model.Function) int32 { return cmp.Or(f.ReferredAt, f.InfoAt) }
	return cmp.Compare(at(&l.Funs[a]), at(&l.Funs[b]))
}

// withLikeDriver adds the functions of the program's own that nvlink takes for kernels by their names, also
// where they don't count as users beside one kernel alone: each has its section.
func (l *Layout) withLikeDriver(kernels []model.FunID) []model.FunID {
	listed := make([]bool, len(l.Funs))
	for _, k := range kernels {
		listed[k] = true
	}
	for i := range l.Funs {
		if f := &l.Funs[i]; f.LikeDriver && f.Live && !listed[i] {
			kernels = append(kernels, model.FunID(i))
		}
	}
	return kernels
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
	l.refusePlaced(s, order)
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
		case len(users) > 0 || len(s.naming[v]) > 0:
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

// placeOwn places what only kernel f uses, after the coloured variables that
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
