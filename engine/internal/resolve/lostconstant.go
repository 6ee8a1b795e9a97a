package resolve

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// warnLostConstants tells of each constant of another object that a relocatable link
// refers to: nvlink writes all ones in the place of its address and keeps no record, so
// that no later link can do better. 13.0 and 13.1 do the same with shared variables of a size.
func (l *Resolution) warnLostConstants() {
	if !l.IsRelocatable() {
		return
	}
	type place struct {
		sym    model.SymID
		file   int32
		target model.SecID
	}
	told := map[place]bool{}
	for i, t := range l.patches() {
		if l.Secs[t].Flags&cuda.SHFAlloc == 0 {
			continue
		}
		for j := range l.Parts[i].Relocs {
			r := &l.Parts[i].Relocs[j]
			if r.Disposition != model.Applied || r.Sym == model.Absent || !l.isUnplacedByLink(&l.Syms[r.Sym]) {
				continue
			}
			if p := (place{r.Sym, r.File, t}); !told[p] {
				told[p] = true
				l.sayLostConstant(r, t)
			}
		}
	}
}

// isOpenConstant reports whether a symbol is a constant that only a later link can place.
func (l *Resolution) isOpenConstant(s *model.Symbol) bool {
	return !s.Is(model.SymDefined) && s.Space() == cuda.STOConstant && s.Type() != cuda.STTSection && !IsLocalUndefined(s)
}

// isUnplacedByLink reports whether an applied record of a relocatable link gets all ones for a symbol.
func (l *Resolution) isUnplacedByLink(s *model.Symbol) bool {
	return l.isOpenConstant(s) || isOpenShared(s)
}

// isOpenShared reports whether a symbol is a shared variable of a size that another object defines.
func isOpenShared(s *model.Symbol) bool {
	return s.IsOpenVariable() && s.IsShared() && !s.IsExternShared() && s.Binding() != cuda.STBWeak
}

func (l *Resolution) sayLostConstant(r *model.Reloc, target model.SecID) {
	name, in, section := l.SymName(r.Sym), l.FileName(r.File), l.Names.Str(l.Secs[target].Name)
	what := "Constant"
	if isOpenShared(&l.Syms[r.Sym]) {
		what = "Shared variable"
	}
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.LostConstant, File: in, Section: section, Symbol: name, Offset: r.Off,
		Text: fmt.Sprintf("%s '%s' in %s of '%s' is lost, because another object defines it, as with -r of nvlink %s: link both in one step", what, name, section, in, l.Release.Name)})
}
