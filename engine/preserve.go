package engine

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// --preserve-relocs: for each section that relocations patch there is a
// .nv.resolvedrela<X> that tells what was patched: every record the linker
// applied, in RELA form, the last read first. The addend of a REL record is
// what its field held.

// preserveFor makes the section for a target's resolved records. It is looked
// up by name alone, so that two static functions of a name share the first's.
func (l *linker) preserveFor(target secID) {
	name := l.names.id(".nv.resolvedrela" + l.names.str(l.secs[target].name))
	if l.unowned(name) != absent {
		return
	}
	id := l.newSection(name, cuda.SHTCudaResolvedRela, l.infoFlags(), 8)
	l.secs[id].target = target
	l.setUnowned(name, id)
}

// countResolved finds the records each section gets, and its size.
func (l *linker) countResolved() {
	if !l.opt.PreserveReloc {
		return
	}
	l.resolved = make(map[secID][]resolvedAt)
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.typ == cuda.SHTCudaResolvedRela {
			continue
		}
		name := l.names.id(".nv.resolvedrela" + l.names.str(l.secs[s.target].name))
		to := l.unowned(name)
		if to == absent {
			continue
		}
		for j := range s.relocs {
			if r := &s.relocs[j]; r.fate == applied && (r.sym == absent || l.isResolved(r.sym, s.target)) {
				l.resolved[to] = append(l.resolved[to], resolvedAt{secID(i), int32(j), r.seq})
			}
		}
	}
	for id, list := range l.resolved {
		slices.SortFunc(list, func(a, b resolvedAt) int { return cmp.Compare(b.seq, a.seq) })
		l.secs[id].size = uint64(len(list)) * cubin.RelaSize
	}
}

// resolvedAt names an applied record: its section, its index there and its
// place in reading order.
type resolvedAt struct {
	sec secID
	at  int32
	seq int32
}

// isResolved reports whether an applied record is told of: not one to what
// layout put elsewhere (dynamic shared memory, image slots, compiler constants
// that moved to a kernel).
func (l *linker) isResolved(id symID, target secID) bool {
	s := &l.syms[id]
	if l.dialect.resolvedShared && !s.isShared() {
		return false
	}
	if isLocalUndefined(s) {
		return false
	}
	return l.isRelocatable() || (!s.isExternShared() || l.showsDebug() || s.is(symDynamic) && l.externOffset(target, s) == unplaced) && !s.isImage() && (s.sec < 0 || !l.secs[s.sec].moved)
}

// putResolved writes a section of resolved records.
func (l *linker) putResolved(out []byte, id secID) {
	at := l.secs[id].off
	for _, p := range l.resolved[id] {
		r := &l.secs[p.sec].relocs[p.at]
		e := cubin.Reloc{Off: r.off, Type: r.typ, Addend: r.addend + int64(r.base)}
		if r.sym != absent {
			e.Symbol = l.syms[r.sym].index
		}
		e.PutRela((*[cubin.RelaSize]byte)(out[at:]))
		at += cubin.RelaSize
	}
}
