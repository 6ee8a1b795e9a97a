package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// unplaceUndefined gives variables that nothing defines the address of what
// has no place, but for those that the linker itself gives a meaning to.
func (l *Layout) unplaceUndefined() {
	for i := range l.Syms {
		s := &l.Syms[i]
		if s.IsOpenVariable() && !s.IsExternShared() && s.Binding() != cuda.STBWeak && !model.IsSynthetic(l.Names.Str(s.Name)) {
			s.Value = model.Unplaced
		}
	}
}

// placeAllowed gives the global variables that an option lets stay undefined their
// value. nvJitLink doesn't know the option, so that of releases without an nvlink
// nobody could be asked.
func (l *Layout) placeAllowed() error {
	value := uint64(0) // also where -r gave it another before
	if l.Release.UnplacesUndefined {
		value = model.Unplaced
	}
	for i := range l.Syms {
		s := &l.Syms[i]
		if !s.IsOpenVariable() || s.Space() != cuda.STOGlobal || s.Binding() == cuda.STBWeak || model.IsSynthetic(l.Names.Str(s.Name)) {
			continue
		}
		if l.Release.ByNvJitLink {
			return diag.Refuse(diag.Unsupported, "", "how nvlink %s leaves an undefined global variable is not known", l.Release.Name)
		}
		s.Value = value
	}
	return nil
}
