package merge

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// checkPatches refuses a function that wasn't compiled as a tools' patch: of definitions of one name the one
// that is kept counts, and the file of the first is told (nvlink 13.3.73, 13.5.37).
func (l *merger) checkPatches() error {
	for i := range l.Funs {
		f := &l.Funs[i]
		if f.Text == model.Absent {
			continue
		}
		if f.Info == model.Absent || !slices.ContainsFunc(l.InfoOf(f.Info).Read, func(r model.Attribute) bool { return r.Attr == cuda.AttrToolsPatchFunc }) {
			name := l.Files[l.Syms[f.Sym].File].Name
			return diag.Refuse(diag.BadOption, name, "Function '%s' in '%s' is missing EIATTR_TOOLS_PATCH_FUNC attribute required by %s option", l.SymName(f.Sym), name, l.Release.ToolsPatch)
		}
	}
	return nil
}
