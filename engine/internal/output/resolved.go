package output

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// --preserve-relocs: for each section that relocations patch there is a
// .nv.resolvedrela<X> that says what was patched: every record the linker
// applied, in RELA form, the last read first. The addend of a REL record is
// what its field held.

// CountResolved finds the records each section gets, and its size.
func (l *Planner) CountResolved() {
	if !l.Opt.PreserveRelocs {
		return
	}
	l.Resolved = make(map[model.SecID][]resolvedAt)
	for i := range l.Secs {
		s := &l.Secs[i]
		if s.Target == model.Absent || s.Type == cuda.SHTCudaResolvedRela {
			continue
		}
		name := l.Names.ID(".nv.resolvedrela" + l.Names.Str(l.Secs[s.Target].Name))
		to := l.Unowned(name)
		if to == model.Absent {
			continue
		}
		relocs := l.Parts[i].Relocs
		for j := range relocs {
			if r := &relocs[j]; r.Disposition == model.Applied && l.isResolved(r.Sym, s.Target) {
				l.Resolved[to] = append(l.Resolved[to], resolvedAt{model.SecID(i), int32(j), l.MoreOf(r).Seq})
			}
		}
	}
	for id, list := range l.Resolved {
		slices.SortFunc(list, func(a, b resolvedAt) int { return cmp.Compare(b.seq, a.seq) })
		l.Secs[id].Size = uint64(len(list)) * cubin.RelaSize
	}
}

// resolvedAt names an applied record: its section, its index there and its
// place in reading order.
type resolvedAt struct {
	Sec model.SecID
	At  int32
	seq int32
}

// isResolved reports whether an applied record is listed: not one to what
// layout put elsewhere (dynamic shared memory, image slots, compiler constants
// that moved to a kernel), and from sm_100 on only one without a symbol or to shared
// memory, from what is loaded: not from debug sections.
func (l *Planner) isResolved(id model.SymID, target model.SecID) bool {
	if l.Dialect.ResolvedShared && l.Secs[target].Flags&cuda.SHFAlloc == 0 {
		return false
	}
	if id == model.Absent {
		return true
	}
	s := &l.Syms[id]
	if l.Dialect.ResolvedShared && !s.IsShared() {
		return false
	}
	if resolve.IsLocalUndefined(s) {
		return false
	}
	return l.IsRelocatable() || (!s.IsExternShared() || l.ShowsDebug() && !l.isHiddenStandIn(s) || s.Is(model.SymDynamic) && l.ExternOffset(target, s) == model.Unplaced) && !s.IsTexture() && (s.Sec < 0 || !l.Secs[s.Sec].Moved)
}

// PutResolved writes a section of resolved records.
func (l *Planner) PutResolved(b []byte, id model.SecID) {
	for _, p := range l.Resolved[id] {
		r := &l.Parts[p.Sec].Relocs[p.At]
		e := cubin.Reloc{Off: r.Off, Type: r.Type, Addend: r.Addend + int64(r.Base)}
		if r.Sym != model.Absent {
			e.Symbol = l.Syms[r.Sym].Index
		}
		e.PutRela((*[cubin.RelaSize]byte)(b))
		b = b[cubin.RelaSize:]
	}
}
