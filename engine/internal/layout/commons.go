package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// checkCommons refuses a final link where a weak definition with data lost to a
// tentative one that nothing else defined. nvlink ends by a signal, above sm_90
// with these words (11.8.89, 12.4.131, 13.0.88).
func (l *Layout) checkCommons() error {
	for _, id := range l.Commons {
		if sym := &l.Syms[id]; sym.Is(model.SymCommon) && sym.Is(model.SymCrossed) && !l.IsRelocatable() {
			return diag.Refuse(diag.Internal, l.FileName(sym.File), "Internal error: reference to deleted section")
		}
	}
	return nil
}

// crossedCommon is the value that -r gives a tentative definition to which a weak one lost.
// The symbol stays tentative: the final link finds no alignment in it and fails (nvlink
// 13.0.88 and 13.5.37 end by a signal).
const crossedCommon = ^uint64(1)

// layoutCommons puts tentative definitions that nothing defined after
// .nv.global, the last named first.
func (l *Layout) layoutCommons() {
	for i := len(l.Commons) - 1; i >= 0; i-- {
		sym := &l.Syms[l.Commons[i]]
		if !sym.Is(model.SymCommon) {
			continue
		}
		if sym.Is(model.SymCrossed) { // with -r, see checkCommons
			sym.Value = crossedCommon
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
