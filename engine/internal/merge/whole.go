package merge

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// warnOfWhole names an input of -ewp whose kernels were compiled as whole programs, where they have what nvlink counts
// in ways that aren't known: with -g and -r shared memory and textures that are placed already, and stacks that are
// told already. Without a Mercury side the others come out as nvlink has them.
func (l *merger) warnOfWhole(m *module) error {
	if m.file.Header.Type != cuda.ETEwp || !l.Dialect.RefusesNested && !(m.isPlaced() && (l.ShowsDebug() || l.IsRelocatable())) {
		return nil
	}
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Rescheduled, File: m.file.Name,
		Text: fmt.Sprintf("'%s' is a whole program (-ewp): its kernels may differ from nvlink's", m.file.Name)})
	return nil
}

// isPlaced reports whether shared memory or textures of kernels are placed in an input, or their stack is told.
func (m *module) isPlaced() bool {
	for i := range m.heads {
		s := &m.heads[i]
		name := m.file.SectionName(s)
		switch {
		case strings.HasPrefix(name, ".nv.shared.") && !strings.HasPrefix(name, ".nv.shared.reserved."):
			return true
		case strings.HasPrefix(name, ".rel.nv.constant0.") || strings.HasPrefix(name, ".rela.nv.constant0."):
			return true
		case name == ".nv.info":
			r := m.file.Info(s)
			for rec, ok := r.Next(); ok; rec, ok = r.Next() {
				if rec.Attr == cuda.AttrMinStackSize {
					return true
				}
			}
		}
	}
	return false
}
