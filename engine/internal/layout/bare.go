package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// findBare makes a variable of what a kernel's section holds without a symbol, for releases
// that keep it: -r gives the section of a kernel with dynamic variables a size.
func (l *Layout) findBare(kernels []model.FunID) (bare []model.SymID) {
	if !l.hasBare() {
		return nil
	}
	named := make(map[model.SecID]bool)
	for i := range l.Syms {
		if v := &l.Syms[i]; v.IsShared() && v.Sec != model.Absent {
			named[v.Sec] = true
		}
	}
	for _, k := range kernels {
		id := l.sharedSection(k)
		if id == model.Absent || l.Secs[id].Size == 0 || named[id] {
			continue
		}
		named[id] = true
		bare = append(bare, l.NewSymbol(model.Symbol{Info: uint8(cuda.STTCudaObject), Other: cuda.STOShared, Sec: id,
			Value: l.Secs[id].Align, Size: l.Secs[id].Size, Flags: model.SymDead | model.SymDefined | model.SymOwned}))
	}
	return bare
}

// hasBare reports whether reading kept what a kernel's section of shared memory holds.
func (l *Layout) hasBare() bool {
	for i := range l.Secs {
		if s := &l.Secs[i]; s.Type == cuda.SHTCudaShared && s.Owner != model.Absent && s.Size > 0 && !s.Deleted {
			return true
		}
	}
	return false
}
