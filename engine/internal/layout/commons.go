package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// layoutCommons puts tentative definitions that nothing defined behind
// .nv.global, the last named first.
func (l *Layout) layoutCommons() {
	for i := len(l.Commons) - 1; i >= 0; i-- {
		sym := &l.Syms[l.Commons[i]]
		if !sym.Is(model.SymCommon) {
			continue
		}
		name := l.Names.ID(".nv.global")
		id := l.Unowned(name)
		if id == model.Absent {
			id = l.NewSection(name, cuda.SHTCudaGlobal, cuda.SHFWrite|cuda.SHFAlloc, 1)
			l.SetUnowned(name, id)
			sym = &l.Syms[l.Commons[i]]
		}
		sec := &l.Secs[id]
		off := model.AlignUp(sec.Size, sym.Value)
		sec.Align = max(sec.Align, sym.Value)
		sec.Size = off + sym.Size
		sym.Value, sym.Sec = off, id
		sym.Flags = sym.Flags&^model.SymCommon | model.SymDefined
	}
}
