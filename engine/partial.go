package engine

import "github.com/twinlink/twinlink/cuda"

// A relocatable link (-r, from 13.0 on) merges and leaves the layout for
// later, with two oddities that the final link can't undo: a static shared
// variable's st_value still is its alignment, and relocations to it are
// applied with that; and dynamic shared variables get a place at once, each
// kernel's own symbol standing for them.

// isRelocatable reports whether the output is a relocatable file: releases
// before 13.0 ignore -r.
func (l *linker) isRelocatable() bool { return l.opt.Relocatable && l.prof.relocatable }

// layoutPartial does what a relocatable link does of layout.
func (l *linker) layoutPartial() {
	l.unplaceUndefined()
	vars := l.sharedVariables()
	if len(vars) == 0 {
		return
	}
	dynamic := false
	for _, v := range vars {
		dynamic = dynamic || l.syms[v].isExternShared()
	}
	poolAlign := uint64(1)
	if pool := l.sizePool(vars); pool != absent {
		poolAlign = l.secs[pool].align
	}
	own := make(map[secID][]symID)
	for _, v := range vars {
		if l.ownedShared(v) {
			own[l.syms[v].sec] = append(own[l.syms[v].sec], v)
		}
	}
	users := l.externUsers()
	kernels := l.allKernels()
	highest := uint64(0)
	for _, k := range kernels {
		id := l.sharedSection(k)
		if users[k] && id == absent {
			id = l.newShared(k)
		}
		if id == absent {
			continue
		}
		sec := &l.secs[id]
		sec.size = l.sumSizes(own[id])
		if users[k] {
			sec.align = max(sec.align, dynamicAlign)
			sec.size = alignUp(sec.size, dynamicAlign)
			highest = max(highest, sec.size)
		}
	}
	direct := make(map[symID]bool)
	for _, k := range kernels {
		id := l.funs[k].shared
		if id == absent {
			continue
		}
		sec := &l.secs[id]
		switch {
		case users[k] && l.opt.Debug:
			sec.size = highest
			l.sharedUses(k, func(v symID) { direct[v] = true })
		case users[k]:
			l.standIn(k, sec.size)
		}
		sec.align = max(sec.align, poolAlign)
		sec.present = sec.size > 0 || dynamic && sec.align == dynamicAlign
		sec.raise()
	}
	if !dynamic {
		return
	}
	for _, v := range vars {
		if s := &l.syms[v]; s.isExternShared() {
			s.sec, s.value = l.poolShared(), 0
			s.flags |= symDefined | symDynamic
			if direct[v] {
				s.value = highest
			}
		}
	}
	pool := &l.secs[l.poolShared()]
	pool.align = max(pool.align, dynamicAlign)
	pool.present = true
	pool.raise()
}

// sizePool gives .nv_debug.shared the sum of its variables' sizes, and where
// that is less than its alignment the alignment on top.
func (l *linker) sizePool(vars []symID) secID {
	pool := l.unowned(l.names.id(".nv_debug.shared"))
	if pool == absent {
		return absent
	}
	out := &l.secs[pool]
	in := vars[:0:0]
	for _, v := range vars {
		if l.syms[v].sec == pool {
			in = append(in, v)
		}
	}
	out.size = l.sumSizes(in)
	out.present = out.size > 0
	out.raise()
	return pool
}

// raise adds the alignment to the size of a section that is no longer than it.
func (s *section) raise() {
	s.mute = s.size == 0
	if s.present && s.size <= s.align {
		s.size += s.align
	}
}

// sumSizes adds up the sizes of variables.
func (l *linker) sumSizes(vars []symID) uint64 {
	sum := uint64(0)
	for _, v := range vars {
		sum += l.syms[v].size
	}
	return sum
}

// standIn makes the symbol that stands for the dynamic variables in a kernel's
// code and turns the kernel's relocations to them into ones to it.
func (l *linker) standIn(k funID, off uint64) {
	id := l.newSymbol(symbol{name: l.names.id("externsharedinstance"), info: uint8(cuda.STBWeak)<<4 | uint8(cuda.STTCudaObject),
		other: cuda.STOShared | cuda.STOInternal, sec: absent, value: off, flags: symLaid})
	for _, r := range l.secs[l.funs[k].text].rels {
		for i := range l.secs[r].relocs {
			if rec := &l.secs[r].relocs[i]; rec.sym != absent && l.syms[rec.sym].isExternShared() {
				rec.sym = id
			}
		}
	}
}

// unplaceUndefined gives variables that nothing defines the address of what
// has no place.
func (l *linker) unplaceUndefined() {
	for i := range l.syms {
		s := &l.syms[i]
		if s.typ() == cuda.STTCudaObject && !s.is(symDefined|symDead|symCommon) && !s.isExternShared() && s.binding() != cuda.STBWeak {
			s.value = unplaced
		}
	}
}
