package merge

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// checkPatches refuses a function that wasn't compiled as a tools' patch.
func (l *merger) checkPatches(m *module) error {
	for i := 1; i < m.tab.Len(); i++ {
		s, _ := m.tab.At(i)
		if s.Type() != cuda.STTFunc || m.tab.Shndx(i, &s) == cuda.SHNUndef || m.lostSyms[uint32(i)] {
			continue
		}
		f := &l.Funs[l.Syms[m.sym[i]].Fun]
		if f.Info == model.Absent || !slices.ContainsFunc(l.InfoOf(f.Info).Read, func(r model.Attribute) bool { return r.Attr == cuda.AttrToolsPatchFunc }) {
			return diag.Refuse(diag.BadOption, m.file.Name, "Function '%s' in '%s' is missing EIATTR_TOOLS_PATCH_FUNC attribute required by %s option", m.tab.Name(&s), m.file.Name, l.Release.ToolsPatch)
		}
	}
	return nil
}
