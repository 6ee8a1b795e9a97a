package resolve

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// namedSymbols marks the symbols that some relocation names.
func (l *Resolution) namedSymbols() []bool {
	named := make([]bool, len(l.Syms))
	for i := range l.Secs {
		s := &l.Secs[i]
		if s.Target == model.Absent || s.Deleted {
			continue
		}
		relocs := l.Parts[i].Relocs
		for j := range relocs {
			if r := &relocs[j]; r.Sym != model.Absent {
				named[r.Sym] = true
			}
		}
	}
	return named
}

// checkUndefined reports references nothing defines.
func (l *Resolution) checkUndefined() {
	if l.IsRelocatable() {
		return
	}
	var named []bool // most links have no function to look up here
	for i := range l.Syms {
		s := &l.Syms[i]
		if s.Is(model.SymDefined|model.SymNameless|model.SymCommon) || s.Is(model.SymDead) || !s.Is(model.SymGlobal) || l.mayStayUndefined(model.SymID(i)) {
			continue
		}
		if s.Fun != model.Absent && !l.Funs[s.Fun].Live {
			if named == nil {
				named = l.namedSymbols()
			}
			if !named[i] {
				continue
			}
		}
		name := l.Names.Str(s.Name)
		l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.Undefined, Symbol: name, File: l.FileName(s.File),
			Text: fmt.Sprintf("Undefined reference to '%s' in '%s'", name, l.FileName(s.File))})
	}
}

// mayStayUndefined reports whether nothing needs to define a symbol: the driver
// does, or it is weak, or layout has given it a place, or an option allows it.
func (l *Resolution) mayStayUndefined(id model.SymID) bool {
	s := &l.Syms[id]
	name := l.Names.Str(s.Name)
	if l.Opt.AllowUndefined && s.Fun == model.Absent && s.Space() == cuda.STOGlobal {
		return true
	}
	return s.Binding() == cuda.STBWeak || s.IsTexture() || s.IsExternShared() || s.Is(model.SymSized) || l.IsUnified(id) ||
		l.Release.DriverDefines(name) || model.IsDriverValue(name)
}
