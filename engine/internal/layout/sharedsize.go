package layout

import (
	"github.com/twinlink/twinlink/engine/internal/model"
)

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

// UsedShared is how much shared memory a section asks for, beside what the driver keeps:
// nvlink takes that off also where an option says that nothing is kept (12.4.131, 13.0.88, 13.5.37).
func (l *Layout) UsedShared(id model.SecID) uint64 {
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

// sizeShared sets size and alignment of every kernel's section, and of the pool's.
func (l *Layout) sizeShared(s *sharedLayout) {
	pool, dynamic := l.poolAlign(s), l.hasDynamic()
	for k, home := range s.homes {
		s.dynAlign[home], s.extern[home] = max(s.dynAlign[home], s.dynAlign[k]), max(s.extern[home], s.extern[k])
	}
	for k, f := range s.Kernels {
		if l.Funs[f].Shared != model.Absent && s.homes[k] == k {
			l.sizeOwn(s, k, pool, dynamic)
		}
	}
	l.sizeShown(s, dynamic)
}

// sizeOwn sets size and alignment of a kernel's section; pool is the alignment of what kernels share,
// dynamic says that the program has dynamic variables.
func (l *Layout) sizeOwn(s *sharedLayout, k int, pool uint64, dynamic bool) {
	f := &l.Funs[s.Kernels[k]]
	sec := &l.Secs[f.Shared]
	sec.Size, l.Parts[f.Shared].Chunks = s.ends[k], nil
	sec.Align = l.sharedAlign(s, k, pool)
	if s.extern[k] >= 0 {
		sec.Size = uint64(s.extern[k])
		if l.Release.AlignsDynamic {
			sec.Size = model.AlignUp(sec.Size, sec.Align)
		}
	}
	if s.isBare[f.Shared] && l.IsHidden(f) {
		sec.Present = true // without the driver's reserve
		return
	}
	if sec.Size > 0 || dynamic && (sec.Align == DynamicAlign || sec.Align > DynamicAlign && l.sharedReserve() > 0) {
		sec.Size += l.sharedReserve()
		sec.Present = true
	}
}

// sizeShown sets size and alignment of the section of what kernels share, which options show.
func (l *Layout) sizeShown(s *sharedLayout, dynamic bool) {
	pool := l.Unowned(l.Names.ID(".nv_debug.shared"))
	if pool == model.Absent {
		return
	}
	out := &l.Secs[pool]
	out.Size, l.Parts[pool].Chunks = 0, nil
	shown := l.ShowsDebug() || l.Opt.PreserveRelocs
	if dynamic && shown {
		out.Size = l.sharedReserve()
	}
	if len(s.Multi) > 0 && shown {
		out.Size = s.poolEnd + l.sharedReserve()
		out.Present = true
	}
	if dynamic && (len(s.Multi) == 0 || out.Align <= DynamicAlign) {
		out.Align = DynamicAlign
		out.Present = true
	}
}
