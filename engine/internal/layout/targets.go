package layout

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// moveUnitRelocs moves the relocations of compiler constants (addresses of
// jump targets, which the finalizer fills in) to the kernels that take the
// constants. They follow the kernel's own: unit after unit, in a unit its
// objects from the highest down.
func (l *Layout) moveUnitRelocs(units []unit, banks []*bank) {
	objects := make(map[model.SecID][]model.SymID)
	for i := range l.Syms {
		if s := &l.Syms[i]; s.Sec >= 0 && s.Type() == cuda.STTCudaObject && l.Secs[s.Sec].Type == cuda.SHTCudaConstant0+2 && !l.isReplaced(s) {
			objects[s.Sec] = append(objects[s.Sec], model.SymID(i))
		}
	}
	for _, list := range objects {
		slices.SortStableFunc(list, func(a, b model.SymID) int { return cmp.Compare(l.Syms[b].Value, l.Syms[a].Value) })
	}
	moved := make(map[model.SecID][]model.Reloc)
	for i := range units {
		u := &units[i]
		if l.Parts[u.sec].FirstRel == model.Absent {
			continue
		}
		list := l.unitRelocs(u.sec, objects[u.sec])
		for _, k := range u.users { // those of one name too, that have one bank
			for _, r := range list {
				r.Off += u.off
				moved[banks[k].sec] = append(moved[banks[k].sec], r)
			}
		}
	}
	for to, list := range moved {
		slices.Reverse(list) // a section's records are written last first
		part := &l.Parts[l.RelocSection(to, l.targetRelocName(to))]
		part.Relocs = append(list, part.Relocs...)
	}
}

// makeTargetRelocs makes the sections that take a unit's relocations, in the order of the banks.
func (l *Layout) makeTargetRelocs(u *unit, banks []*bank) {
	if l.Parts[u.sec].FirstRel == model.Absent {
		return
	}
	var users []model.SecID
	for _, k := range u.users {
		users = append(users, banks[k].sec)
	}
	slices.Sort(users)
	for _, to := range users {
		if to == model.Absent || l.RelocSection(to, l.targetRelocName(to)) != model.Absent {
			continue
		}
		l.NewRelocSection(l.targetRelocName(to), cuda.SHTRela, cuda.SHFInfoLink, to)
		if l.Opt.PreserveRelocs {
			l.PreserveFor(l.Secs[to].Name, to)
		}
	}
}

func (l *Layout) targetRelocName(bank model.SecID) names.ID {
	return l.Names.ID(".rela" + l.Names.Str(l.Secs[bank].Name))
}

// isReplaced reports whether a table is of a definition of its function that was replaced.
func (l *Layout) isReplaced(s *model.Symbol) bool {
	owner := l.Secs[s.Sec].Owner
	if owner == model.Absent || l.Secs[owner].Fun == model.Absent {
		return false
	}
	return s.File != l.Funs[l.Secs[owner].Fun].From
}

// unitRelocs returns the records of a unit in the order in which they are
// written.
func (l *Layout) unitRelocs(sec model.SecID, objects []model.SymID) []model.Reloc {
	var records []model.Reloc
	for id := l.Parts[sec].FirstRel; id != model.Absent; id = l.Parts[id].NextRel {
		for j := len(l.Parts[id].Relocs) - 1; j >= 0; j-- {
			records = append(records, l.Parts[id].Relocs[j])
		}
	}
	var list []model.Reloc
	taken := make([]bool, len(records))
	for _, id := range objects {
		s := &l.Syms[id]
		for j := range records {
			if r := &records[j]; !taken[j] && r.Off >= s.Value && r.Off-s.Value < s.Size {
				taken[j] = true
				list = append(list, *r)
			}
		}
	}
	var lost []model.Reloc // of tables whose definition lost
	for j := range records {
		if !taken[j] && records[j].Off < l.Secs[sec].Size {
			lost = append(lost, records[j])
		}
	}
	return append(lost, list...)
}
