package output

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/release"
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
func (l *Planner) showNameless() bool { return l.Opt.Debug || l.Opt.PreserveRelocs }

// isShown reports whether an object is in the tables of the image. Parameters
// and compiler constants aren't unless relocations are preserved; what lives
// in shared memory isn't unless somebody will look for it.
func (l *Planner) isShown(id model.SymID) bool {
	s := &l.Syms[id]
	if s.IsShared() {
		return l.showShared(s)
	}
	if s.Other&cuda.STOVisibility != cuda.STOInternal {
		return true
	}
	return (l.Opt.PreserveRelocs || l.IsRelocatable()) && s.Is(model.SymDefined) || l.IsRelocatable() && s.Binding() == cuda.STBLocal
}

// showShared reports whether a variable in shared memory is in the tables.
func (l *Planner) showShared(s *model.Symbol) bool {
	if l.IsRelocatable() {
		return true
	}
	if !s.Is(model.SymLaid | model.SymDynamic) {
		return false
	}
	if l.isHiddenStandIn(s) {
		return l.Opt.PreserveRelocs && l.Secs[s.Sec].Size > 0
	}
	return l.Opt.PreserveRelocs || l.DebugShows(s) && s.Other&cuda.STOVisibility != cuda.STOInternal
}

// isHiddenStandIn reports whether a symbol is what an earlier -r made for a kernel's dynamic
// variables, and -g hides it from --preserve-relocs, as long as kernels share no variable: it
// then is in the tables only where .nv_debug.shared has a size, and its records are not listed.
func (l *Planner) isHiddenStandIn(s *model.Symbol) bool {
	return l.ShowsDebug() && (l.Shared == nil || len(l.Shared.Multi) == 0) && s.Is(model.SymDynamic) && s.Other&cuda.STOVisibility == cuda.STOInternal
}

// symbolName is a symbol, absent where only its name stays, and its name, -1 for one
// without.
type symbolName struct {
	sym  model.SymID
	name names.ID
}

// ChooseSymbols lists the image's symbols, and those of which it has the name: the
// local list, in images that are rewritten those that became local, then the
// global one, each in the order of creation.
func (l *Planner) ChooseSymbols(img *Plan) {
	var late, global []model.SymID
	var lateNamed, globalNamed []symbolName
	img.Symbols = make([]model.SymID, 0, 2*len(l.Funs))
	if !l.Release.EarlyStrings {
		img.named = make([]symbolName, 0, len(l.Syms)+l.Besides)
	}
	moves := l.Release.FreshNames && l.Dialect == &release.Mercury
	for i := range l.Syms {
		id, s := model.SymID(i), &l.Syms[i]
		list, named := &img.Symbols, &img.named
		switch {
		case !s.Is(model.SymGlobal):
		case moves && s.Binding() == cuda.STBLocal:
			list, named = &late, &lateNamed
		default:
			list, named = &global, &globalNamed
		}
		if l.symbolStays(id) {
			*list = append(*list, id)
		}
		if l.Release.EarlyStrings || !l.nameStays(id) {
			continue
		}
		n := symbolName{id, s.Name}
		if s.Is(model.SymNameless) {
			n.name = -1
		}
		*named = append(*named, n)
		if s.Type() == cuda.STTSection && l.Secs[s.Sec].Beside != 0 {
			*named = append(*named, symbolName{model.Absent, l.Secs[s.Sec].Beside})
		}
	}
	img.Symbols = append(img.Symbols, late...)
	img.Locals = len(img.Symbols)
	img.Symbols = append(img.Symbols, global...)
	for i, id := range img.Symbols {
		l.Syms[id].Index = uint32(i + 1)
	}
	img.named = append(append(img.named, lateNamed...), globalNamed...)
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
	img.Str, img.Shstr = names.NewStrtab(l.Names, len(l.Syms)+l.Besides), names.NewStrtab(l.Names, len(l.Secs)+l.Besides)
	if l.beginsNames() {
		return // package mercury adds what it uses
	}
	for _, p := range l.Protos {
		img.Str.AddPrototype(p)
	}
	for _, n := range img.named {
		switch {
		case n.name < 0:
			img.Names[n.sym] = img.Str.AddEmpty()
		case n.sym == model.Absent:
			img.Str.Add(n.name)
		default:
			img.Names[n.sym] = img.Str.Add(n.name)
		}
	}
	for i := range l.Secs {
		s := &l.Secs[i]
		if s.Deleted {
			continue
		}
		img.Shstr.Add(s.Name)
		if s.Beside != 0 {
			img.Shstr.Add(s.Beside)
		}
	}
}

// beginsNames reports whether the finalizer makes the string tables, which then hold
// nothing of what merely was read.
func (l *Planner) beginsNames() bool { return l.Release.FreshNames && l.Dialect == &release.Mercury }

// nameStays reports whether a symbol's name is in .strtab: that of every
// symbol in the table, of every section and of the synthetic ones, and of functions
// inside kernels that a filter hides, which nvlink takes out of the table alone.
func (l *Planner) nameStays(id model.SymID) bool {
	s := &l.Syms[id]
	if s.Is(model.SymDead) || s.Sec >= 0 && l.Secs[s.Sec].Deleted {
		return s.Fun != model.Absent && l.IsNested(s.Fun)
	}
	if s.Type() == cuda.STTFunc {
		return !s.Is(model.SymNameless) || l.showNameless()
	}
	return s.Type() == cuda.STTSection || l.isShown(id)
}
