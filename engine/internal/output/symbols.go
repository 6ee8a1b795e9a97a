package output

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// sectionSymbolStays reports whether sections of a type keep their symbol.
func sectionSymbolStays(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaInfo,
		cuda.SHTCudaResolvedRela, cuda.SHTCudaCompat:
		return false
	}
	return true
}

// symbolStays reports whether a symbol is in the image's table.
func (l *Planner) symbolStays(id model.SymID) bool {
	s := &l.Syms[id]
	if s.Is(model.SymDead) || s.Sec >= 0 && l.Secs[s.Sec].Deleted {
		return false
	}
	switch s.Type() {
	case cuda.STTSection:
		sec := &l.Secs[s.Sec]
		if sec.Mute {
			return false
		}
		return sectionSymbolStays(sec.Type) && (sec.Size > 0 || sec.Made) && l.isPresent(s.Sec)
	case cuda.STTFunc:
		return !s.Is(model.SymNameless) || l.showNameless()
	}
	return l.isShown(id) && (l.IsRelocatable() || !l.IsUnified(id))
}

// showNameless reports whether the nameless symbols are in the image.
func (l *Planner) showNameless() bool { return l.Opt.Debug || l.Opt.PreserveReloc }

// isShown reports whether an object is in the tables of the image. Parameters
// and compiler constants aren't unless relocations are preserved; what lives
// in shared memory isn't unless somebody will look for it.
func (l *Planner) isShown(id model.SymID) bool {
	s := &l.Syms[id]
	if s.IsShared() {
		return l.showShared(s)
	}
	return s.Other&cuda.STOVisibility != cuda.STOInternal || (l.Opt.PreserveReloc || l.IsRelocatable()) && s.Is(model.SymDefined)
}

// showShared reports whether a variable in shared memory is in the tables.
func (l *Planner) showShared(s *model.Symbol) bool {
	if l.IsRelocatable() {
		return true
	}
	if !s.Is(model.SymLaid | model.SymDynamic) {
		return false
	}
	return l.Opt.PreserveReloc || l.DebugShows(s)
}

// ChooseSymbols lists the image's symbols: the local list, then the global
// one, each in the order of creation.
func (l *Planner) ChooseSymbols(img *Plan) {
	for _, flag := range []model.SymFlags{0, model.SymGlobal} {
		for i := range l.Syms {
			if l.Syms[i].Flags&model.SymGlobal != flag || !l.symbolStays(model.SymID(i)) {
				continue
			}
			img.Symbols = append(img.Symbols, model.SymID(i))
			l.Syms[i].Index = uint32(len(img.Symbols))
		}
		if flag == 0 {
			img.Locals = len(img.Symbols)
		}
	}
}

// BuildStrings makes the two string tables.
func (l *Planner) BuildStrings(img *Plan) {
	img.Names = make([]uint32, len(l.Syms))
	if l.Release.EarlyStrings {
		img.Str, img.Shstr = l.Str, l.Shstr
		for i := range l.Syms {
			if img.Names[i] = img.Str.Add(l.Syms[i].Name); l.Syms[i].Is(model.SymNameless) {
				img.Names[i] = img.Str.Empty
			}
		}
		return
	}
	img.Str, img.Shstr = names.NewStrtab(l.Names, len(l.Syms)), names.NewStrtab(l.Names, len(l.Secs))
	for _, p := range l.Protos {
		img.Str.AddPrototype(p)
	}
	for _, flag := range []model.SymFlags{0, model.SymGlobal} {
		for i := range l.Syms {
			s := &l.Syms[i]
			if s.Flags&model.SymGlobal != flag || !l.nameStays(model.SymID(i)) {
				continue
			}
			if s.Is(model.SymNameless) {
				img.Names[i] = img.Str.AddEmpty()
				continue
			}
			img.Names[i] = img.Str.Add(s.Name)
		}
	}
	for i := range l.Secs {
		if !l.Secs[i].Deleted {
			img.Shstr.Add(l.Secs[i].Name)
		}
	}
}

// nameStays reports whether a symbol's name is in .strtab: that of every
// symbol in the table, of every section and of the synthetic ones.
func (l *Planner) nameStays(id model.SymID) bool {
	s := &l.Syms[id]
	if s.Is(model.SymDead) || s.Sec >= 0 && l.Secs[s.Sec].Deleted {
		return false
	}
	if s.Type() == cuda.STTFunc {
		return !s.Is(model.SymNameless) || l.showNameless()
	}
	return s.Type() == cuda.STTSection || l.isShown(id)
}
