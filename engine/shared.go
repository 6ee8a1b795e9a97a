package engine

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory. Variables of a kernel stand in its .nv.shared.<k>; those of
// no kernel in .nv_debug.shared. A variable that one kernel uses moves to that
// kernel; those that several use, or none, are coloured: two without a common
// user may share an address. Then each kernel's own follow, and the dynamic
// variables ("extern") lie behind everything.

// sharedLayout is the state of this layout.
type sharedLayout struct {
	kernels  []funID           // live, by symbol; a user is an index into this
	users    map[symID][]int   // by variable: kernels that reach a use, ascending
	named    map[symID]bool    // variables that some relocation names, even of dead code
	multi    []symID           // coloured variables
	ends     []uint64          // by kernel: end of what it holds
	extern   []int64           // by kernel: offset of its dynamic variables, -1 for none
	first    uint64            // lowest address that may be given: 1 with --reserve-null-pointer
	poolEnd  uint64            // end of the colours
	externAt map[funID]uint64  // by function: the dynamic variables' offset as it sees them
	instance bool              // some kernel has dynamic variables
	own      map[secID][]symID // variables of a kernel's own section, by creation
}

// layoutShared places every variable in shared memory.
func (l *linker) layoutShared() {
	vars := l.sharedVariables()
	if len(vars) == 0 {
		return
	}
	s := &sharedLayout{kernels: l.allKernels(), users: make(map[symID][]int), named: make(map[symID]bool)}
	if l.opt.ReserveNull {
		s.first, s.poolEnd = 1, 1
	}
	l.shared = s
	s.own = make(map[secID][]symID)
	var pooled []symID
	for _, v := range vars {
		if l.ownedShared(v) {
			l.syms[v].flags |= symOwned
			s.own[l.syms[v].sec] = append(s.own[l.syms[v].sec], v)
		} else {
			pooled = append(pooled, v)
		}
	}
	l.findUsers(s)

	order := listSort(pooled, func(a, b symID) bool { return l.syms[a].size > l.syms[b].size }, true)
	single := make([][]symID, len(s.kernels))
	for _, v := range order {
		sym := &l.syms[v]
		if sym.isExternShared() {
			continue
		}
		switch users := s.users[v]; {
		case len(users) == 1:
			single[users[0]] = append(single[users[0]], v)
		case len(users) > 1 || s.named[v]:
			s.multi = append(s.multi, v)
		}
	}
	l.colour(s)
	for k, f := range s.kernels {
		l.placeOwn(s, k, f, single[k])
	}
	for k, f := range s.kernels {
		if s.ends[k] > 0 && l.sharedSection(f) == absent {
			l.newShared(f)
		}
	}
	l.placeExtern(s)
	l.showDynamic(s)
	l.sizeShared(s)
}

// sharedVariables returns the variables in shared memory by the moment of
// their definition, dynamic ones by that of their creation.
func (l *linker) sharedVariables() []symID {
	var vars []symID
	for i := range l.syms {
		s := &l.syms[i]
		if !s.isShared() || s.is(symDead) || !s.is(symDefined) && !s.isExternShared() {
			continue
		}
		if s.sec >= 0 && (l.secs[s.sec].deleted || l.secs[s.sec].owner != absent && l.secs[l.secs[s.sec].owner].deleted) {
			continue
		}
		vars = append(vars, symID(i))
	}
	slices.SortStableFunc(vars, func(a, b symID) int { return int(l.syms[a].at) - int(l.syms[b].at) })
	return vars
}

// ownedShared reports whether a variable stands in a kernel's own section.
func (l *linker) ownedShared(v symID) bool {
	sec := l.syms[v].sec
	return sec >= 0 && l.secs[sec].owner != absent
}

// sharedUses calls visit for every relocation of a function's code that names
// a variable in shared memory.
func (l *linker) sharedUses(f funID, visit func(symID)) {
	t := l.funs[f].text
	if t == absent {
		return
	}
	for _, r := range l.secs[t].rels {
		for i := range l.secs[r].relocs {
			if v := l.secs[r].relocs[i].sym; v != absent && l.syms[v].isShared() {
				visit(v)
			}
		}
	}
}

// findUsers finds, for each variable, the kernels that reach a use.
func (l *linker) findUsers(s *sharedLayout) {
	uses := make([][]symID, len(l.funs))
	for f := range l.funs {
		l.sharedUses(funID(f), func(v symID) {
			s.named[v] = true
			uses[f] = append(uses[f], v)
		})
	}
	for k, f := range s.kernels {
		l.reachShown(f, func(g funID) {
			for _, v := range uses[g] {
				if u := s.users[v]; len(u) == 0 || u[len(u)-1] != k {
					s.users[v] = append(u, k)
				}
			}
		})
	}
}

// colour gives the variables of several kernels, or of none, their offsets.
func (l *linker) colour(s *sharedLayout) {
	type class struct {
		members []symID
		users   map[int]bool
		size    uint64
		align   uint64
	}
	var classes []*class
next:
	for _, v := range s.multi {
		for _, c := range classes {
			if !slices.ContainsFunc(s.users[v], func(k int) bool { return c.users[k] }) {
				c.members = append(c.members, v)
				c.size = max(c.size, l.syms[v].size)
				c.align = max(c.align, l.syms[v].value)
				for _, k := range s.users[v] {
					c.users[k] = true
				}
				continue next
			}
		}
		c := &class{members: []symID{v}, users: make(map[int]bool), size: l.syms[v].size, align: l.syms[v].value}
		for _, k := range s.users[v] {
			c.users[k] = true
		}
		classes = append(classes, c)
	}
	s.ends = make([]uint64, len(s.kernels))
	for _, c := range classes {
		off := alignUp(s.poolEnd, c.align)
		s.poolEnd = off + c.size
		for _, v := range c.members {
			l.place(v, off)
			l.syms[v].sec = l.poolShared()
			for _, k := range s.users[v] {
				s.ends[k] = max(s.ends[k], off+l.syms[v].size)
			}
		}
	}
}

// place gives a variable its offset.
func (l *linker) place(v symID, off uint64) {
	l.sharedAlign[v] = l.syms[v].value
	l.syms[v].value = off
	l.syms[v].flags |= symLaid
}

// placeOwn places what only kernel f uses, behind the coloured variables that
// it uses.
func (l *linker) placeOwn(s *sharedLayout, k int, f funID, single []symID) {
	id := l.sharedSection(f)
	own := append(slices.Clone(s.own[id]), single...)
	own = l.ownOrder(own)
	if len(own) == 0 {
		return
	}
	if id == absent {
		id = l.newShared(f)
	}
	sec := &l.secs[id]
	sec.align = 1
	for _, v := range own {
		align := l.syms[v].value
		off := alignUp(max(s.ends[k], s.first), align)
		l.place(v, off)
		l.syms[v].sec = id
		s.ends[k] = off + l.syms[v].size
		sec.align = max(sec.align, align)
	}
}

// ownOrder sorts a kernel's variables: the largest alignment first, and among
// those the smallest.
func (l *linker) ownOrder(own []symID) []symID {
	return listSort(own, func(a, b symID) bool {
		x, y := &l.syms[a], &l.syms[b]
		if x.value != y.value {
			return x.value > y.value
		}
		return x.size < y.size
	}, false)
}

// sharedSection returns .nv.shared.<k>; a kernel that a filter hides has one
// only where it has variables of its own.
func (l *linker) sharedSection(k funID) secID {
	f := &l.funs[k]
	if f.shared == absent {
		for _, id := range l.secs[f.text].owned {
			if l.secs[id].typ == cuda.SHTCudaShared {
				f.shared = id
			}
		}
	}
	return f.shared
}

// newShared makes .nv.shared.<k> for a kernel that reading gave none.
func (l *linker) newShared(k funID) secID {
	f := &l.funs[k]
	f.shared = l.newOwned(f.text, l.names.id(".nv.shared."+l.symName(f.sym)), cuda.SHTCudaShared,
		l.infoFlags()|cuda.SHFWrite|cuda.SHFAlloc, 1)
	return f.shared
}

// placeExtern gives each group of kernels the offset of its dynamic variables.
// Kernels that reach a common device function that uses one form a group.
func (l *linker) placeExtern(s *sharedLayout) {
	group := make([]int, len(s.kernels))
	uses := make([]bool, len(s.kernels))
	for k := range group {
		group[k] = k
	}
	root := func(k int) int {
		for group[k] != k {
			group[k] = group[group[k]]
			k = group[k]
		}
		return k
	}
	users := l.externUsers()
	byVar := make(map[symID]int) // with -g: variable to a kernel that uses it
	first := make(map[funID]int) // device function to a kernel that reaches it
	for k, f := range s.kernels {
		l.reachShown(f, func(g funID) {
			if !users[g] {
				return
			}
			uses[k] = true
			if l.showsDebug() {
				l.sharedUses(g, func(v symID) {
					if !l.syms[v].isExternShared() {
						return
					}
					if other, ok := byVar[v]; ok {
						group[root(k)] = root(other)
					} else {
						byVar[v] = k
					}
				})
				return
			}
			if g == f {
				return
			}
			if other, ok := first[g]; ok {
				group[root(k)] = root(other)
			} else {
				first[g] = k
			}
		})
	}
	s.extern = make([]int64, len(s.kernels))
	top := make(map[int]uint64)
	for k := range s.kernels {
		s.extern[k] = -1
		if uses[k] {
			top[root(k)] = max(top[root(k)], alignUp(max(s.ends[k], s.first), dynamicAlign))
		}
	}
	s.instance = len(top) > 0
	if l.showsDebug() {
		l.defineExtern(func(v symID) uint64 {
			if k, ok := byVar[v]; ok {
				return top[root(k)]
			}
			return alignUp(s.first, dynamicAlign)
		})
	}
	s.externAt = make(map[funID]uint64)
	for k, f := range s.kernels {
		if !uses[k] {
			continue
		}
		s.extern[k] = int64(top[root(k)])
		l.reachShown(f, func(g funID) { s.externAt[g] = top[root(k)] })
	}
}

// externUsers marks the functions whose code names a dynamic variable.
func (l *linker) externUsers() []bool {
	users := make([]bool, len(l.funs))
	for f := range l.funs {
		l.sharedUses(funID(f), func(v symID) { users[f] = users[f] || l.syms[v].isExternShared() })
	}
	return users
}

// defineExtern gives dynamic variables a place that a debugger finds.
func (l *linker) defineExtern(offset func(symID) uint64) {
	for i := range l.syms {
		if !l.syms[i].isExternShared() {
			continue
		}
		pool := l.poolShared()
		v := &l.syms[i]
		v.sec, v.value = pool, offset(symID(i))
		v.flags |= symDefined | symDynamic
	}
}

// nameInstance enters the name of the stand-in for dynamic variables where
// strings are entered as names come.
func (l *linker) nameInstance() {
	if l.prof.earlyStrings && l.shared != nil && l.shared.instance && !l.showsDebug() {
		l.str.add(l.names.id("externsharedinstance"))
	}
}

// showDynamic gives dynamic variables the place they get by accident with
// --preserve-relocs: where the pool has an end, the driver's reserve is added
// to the value of each of its symbols, and theirs is still -1.
func (l *linker) showDynamic(s *sharedLayout) {
	if !l.opt.PreserveReloc || l.showsDebug() || l.sharedReserve() == 0 || len(s.multi) == 0 {
		return
	}
	for i := range l.syms {
		if v := &l.syms[i]; v.isExternShared() {
			v.sec, v.value = l.poolShared(), unplaced
			v.flags |= symDynamic
		}
	}
}

// sharedSymbol returns st_value and st_other of a variable in shared memory.
func (l *linker) sharedSymbol(s *symbol) (value uint64, other uint8) {
	value, other = s.value, s.other
	if l.secs[s.sec].owner != absent || l.shared != nil && len(l.shared.multi) > 0 {
		value += l.sharedReserve()
	}
	if l.opt.PreserveReloc && !l.debugShows(s) {
		other |= cuda.STOInternal
	}
	return value, other
}

// debugShows reports whether -g alone puts a variable into the tables.
func (l *linker) debugShows(s *symbol) bool {
	return l.showsDebug() && (l.prof.debugSingleShared || l.secs[s.sec].owner == absent || s.is(symOwned))
}

// hasDynamic reports whether any variable is dynamic, used or not, or was until
// an earlier link gave it a place.
func (l *linker) hasDynamic() bool {
	for i := range l.syms {
		if v := &l.syms[i]; v.isShared() && v.size == 0 && !v.is(symDead) {
			return true
		}
	}
	return false
}

// dynamicAlign is the alignment of dynamic shared memory. An empty section of
// just that alignment stays in the image where some variable is dynamic: it
// says that a kernel has some, or, by accident, that the pool has it too.
const dynamicAlign = 16

// driverReserve is how much of a kernel's shared memory the driver keeps from
// sm_90 on.
const driverReserve = 0x400

// sharedReserve is what the driver keeps of each kernel's shared memory; the
// section sizes of sm_90 count it in, the addresses don't.
func (l *linker) sharedReserve() uint64 {
	if !l.dialect.sharedReserve {
		return 0 // the finalizer adds it
	}
	if l.arch.sm >= 90 && !l.opt.NoReserved {
		return driverReserve
	}
	return 0
}

// sizeShared sets size and alignment of every kernel's section.
func (l *linker) sizeShared(s *sharedLayout) {
	pool := l.unowned(l.names.id(".nv_debug.shared"))
	poolAlign := uint64(1)
	if pool != absent {
		poolAlign = l.secs[pool].align
	}
	dynamic := l.hasDynamic()
	for k, f := range s.kernels {
		if l.funs[f].shared == absent {
			continue
		}
		sec := &l.secs[l.funs[f].shared]
		sec.size, sec.chunks = s.ends[k], nil
		if s.extern[k] >= 0 {
			sec.size = uint64(s.extern[k])
			sec.align = max(sec.align, dynamicAlign)
		}
		if len(s.multi) > 0 {
			sec.align = max(sec.align, poolAlign)
		}
		if sec.size > 0 || dynamic && (sec.align == dynamicAlign || sec.align > dynamicAlign && l.sharedReserve() > 0) {
			sec.size += l.sharedReserve()
			sec.present = true
		}
	}
	if pool == absent {
		return
	}
	out := &l.secs[pool]
	out.size, out.chunks = 0, nil
	if dynamic && (l.showsDebug() || l.opt.PreserveReloc) {
		out.size = l.sharedReserve()
	}
	if len(s.multi) > 0 && (l.showsDebug() || l.opt.PreserveReloc) {
		out.size = s.poolEnd + l.sharedReserve()
		out.present = true
	}
	if dynamic && (len(s.multi) == 0 || out.align <= dynamicAlign) {
		out.align = dynamicAlign
		out.present = true
	}
}
