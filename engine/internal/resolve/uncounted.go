package resolve

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// warnUncounted tells of each function that data points to and that kernels which call through
// pointers don't count: the object that takes its address has a definition that lost, and nvlink
// forgets with it that the address is taken. Such a kernel may be given too few registers and too
// little stack.
func (l *Resolution) warnUncounted() {
	if l.IsRelocatable() {
		return
	}
	called := l.calledPrototypes()
	if len(called) == 0 {
		return
	}
	told := map[model.SymID]bool{}
	for i, t := range l.patches() {
		if l.Secs[t].Flags&(cuda.SHFAlloc|cuda.SHFExec) != cuda.SHFAlloc {
			continue
		}
		for j := range l.Parts[i].Relocs {
			if r := &l.Parts[i].Relocs[j]; r.Sym != model.Absent && !told[r.Sym] && l.isUncounted(&l.Syms[r.Sym], called) {
				told[r.Sym] = true
				l.sayUncounted(r)
			}
		}
	}
}

// calledPrototypes are those that live code calls through.
func (l *Resolution) calledPrototypes() map[names.ID]bool {
	called := map[names.ID]bool{}
	for i := range l.Funs {
		if l.Funs[i].Live {
			for _, p := range l.Funs[i].Icalls {
				called[p] = true
			}
		}
	}
	return called
}

func (l *Resolution) isUncounted(s *model.Symbol, called map[names.ID]bool) bool {
	if s.Fun == model.Absent || s.Is(model.SymDead) || !s.Is(model.SymDefined) {
		return false
	}
	f := &l.Funs[s.Fun]
	return f.Live && !f.Taken && called[f.Proto] && !l.IsEntry(s.Fun)
}

func (l *Resolution) sayUncounted(r *model.Reloc) {
	name, file := l.SymName(r.Sym), l.FileName(r.File)
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Uncounted, File: file, Symbol: name,
		Text: fmt.Sprintf("Kernels that call '%s' through a pointer in '%s' don't count its resources, as with nvlink %s, because another input defines '%s' too", name, file, l.Release.Name, name)})
}
