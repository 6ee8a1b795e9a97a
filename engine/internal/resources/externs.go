package resources

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// externs calls visit for the functions of a function's EXTERNS that the driver
// must look up: those no module defined, and kernels, which code launches.
func (l *Usage) externs(f model.FunID, visit func(model.SymID)) {
	if l.Funs[f].Info == model.Absent {
		return
	}
	records := l.Parts[l.Funs[f].Info].Records()
	for i := range records {
		if records[i].Attr != cuda.AttrExterns {
			continue
		}
		for _, s := range l.SymList(records[i].List) {
			if l.StaysExtern(s) {
				visit(s)
			}
		}
	}
}

// StaysExtern reports whether an entry of EXTERNS stays. A variable that it comes to name where symbols
// are sorted stays with -r alone.
func (l *Usage) StaysExtern(s model.SymID) bool {
	if s == model.Absent || l.Syms[s].Type() != cuda.STTFunc && !l.IsRelocatable() {
		return false
	}
	return !l.Syms[s].Is(model.SymDefined) || l.Syms[s].Other&cuda.STOEntry != 0
}

// externsOf returns the entries of EXTERNS that stay, of all code.
func (l *Usage) externsOf(code []model.FunID) (list []model.SymID) {
	for _, f := range code {
		l.externs(f, func(s model.SymID) { list = append(list, s) })
	}
	return list
}

// setExterns gives a kernel the EXTERNS of the code it answers for: its own
// first. The only kernel of a link has the last found first, at the end of its
// records unless nothing was added.
func (l *Usage) setExterns(k model.FunID, below []model.SymID, only bool) {
	seen := make(map[model.SymID]bool)
	var list []model.SymID
	add := func(s model.SymID) {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	own := l.Attribute(l.Funs[k].Info, cuda.AttrExterns)
	l.externs(k, add)
	mine := len(list)
	if only {
		clear(seen)
		list = list[:0]
	}
	for _, s := range below {
		add(s)
	}
	switch {
	case len(list) == 0 || only && len(list) == mine:
		return
	case only:
		if !l.Release.ExternsInOrder {
			slices.Reverse(list)
		}
		if own != nil {
			own.Gone = true
		}
	case own != nil:
		own.List = l.NewSymList(list)
		return
	}
	l.AppendAttribute(l.Funs[k].Info, model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrExterns, List: l.NewSymList(list), Sym: model.Absent})
}
