package engine

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// moveUnitRelocs moves the relocations of compiler constants (addresses of
// jump targets, which the finalizer fills in) to the kernels that take the
// constants. They stand behind the kernel's own: unit after unit, in a unit its
// objects from the highest down.
func (l *linker) moveUnitRelocs(units []unit, own []secID) {
	objects := make(map[secID][]symID)
	for i := range l.syms {
		if s := &l.syms[i]; s.sec >= 0 && s.typ() == cuda.STTCudaObject && l.secs[s.sec].typ == cuda.SHTCudaConstant0+2 {
			objects[s.sec] = append(objects[s.sec], symID(i))
		}
	}
	for _, list := range objects {
		slices.SortStableFunc(list, func(a, b symID) int { return cmp.Compare(l.syms[b].value, l.syms[a].value) })
	}
	moved := make(map[secID][]reloc)
	for i := range units {
		u := &units[i]
		if len(l.secs[u.sec].rels) == 0 {
			continue
		}
		list := l.unitRelocs(u.sec, objects[u.sec])
		for _, k := range u.users {
			to := own[k]
			rela := l.relocSection(to, l.names.id(".rela"+l.names.str(l.secs[to].name)))
			if rela == absent {
				rela = l.newRelocSection(l.names.id(".rela"+l.names.str(l.secs[to].name)), cuda.SHTRela, cuda.SHFInfoLink, to)
				if l.opt.PreserveReloc {
					l.preserveFor(to)
				}
			}
			for _, r := range list {
				r.off += u.off
				moved[rela] = append(moved[rela], r)
			}
		}
	}
	for rela, list := range moved {
		slices.Reverse(list) // a section's records are written last first
		l.secs[rela].relocs = append(list, l.secs[rela].relocs...)
	}
}

// unitRelocs returns the records of a unit in the order in which they are
// written.
func (l *linker) unitRelocs(sec secID, objects []symID) []reloc {
	var records []reloc
	for _, id := range l.secs[sec].rels {
		for j := len(l.secs[id].relocs) - 1; j >= 0; j-- {
			records = append(records, l.secs[id].relocs[j])
		}
	}
	var list []reloc
	taken := make([]bool, len(records))
	for _, id := range objects {
		s := &l.syms[id]
		for j := range records {
			if r := &records[j]; !taken[j] && r.off >= s.value && r.off-s.value < s.size {
				taken[j] = true
				list = append(list, *r)
			}
		}
	}
	for j := range records {
		if !taken[j] {
			list = append(list, records[j])
		}
	}
	return list
}
