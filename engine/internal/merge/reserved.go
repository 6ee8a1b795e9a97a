package merge

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// placeReserved puts the variables of the driver's shared memory one after the other, those of the largest alignment
// first. -r leaves the places to the final link, but for how much memory all take. Source: links of two such variables for
// sm_110a, in either order, by nvlink 13.0.88, 13.1.115 and 13.5.37.
func (l *merger) placeReserved() {
	if !l.Dialect.PlacesReserved {
		return
	}
	var vars []*model.Symbol
	for i := range l.Syms {
		if s := &l.Syms[i]; s.IsReservedShared() && s.Sec >= 0 {
			vars = append(vars, s)
		}
	}
	slices.SortStableFunc(vars, func(a, b *model.Symbol) int { return cmp.Compare(b.Value, a.Value) })
	var end uint64
	for _, s := range vars {
		at := model.AlignUp(end, s.Value)
		end = at + s.Size
		l.Secs[s.Sec].Size = end
		if !l.IsRelocatable() {
			s.Value = at
		}
	}
}
