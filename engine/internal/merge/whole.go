package merge

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// warnOfWhole names an input of -ewp, whose kernels were compiled as whole programs, where it has what nvlink counts
// in ways that aren't known: with -g and -r shared memory and textures that are placed already, and stacks that are
// told already. From sm_100 on that is all with -g and -r, and textures without them. Of an input that was compiled with
// -g shared variables have symbols, and nvlink counts them and their section.
func (l *merger) warnOfWhole(m *module) error {
	if m.file.Header.Type != cuda.ETEwp {
		if m.holdsParameters() {
			l.sayWhole(m)
		}
		return nil
	}
	shown := l.ShowsDebug() || l.IsRelocatable()
	if mercury := l.Dialect.RefusesNested; !(shown && (mercury || m.isPlaced()) || mercury && m.hasImages() || m.namesShared()) {
		return nil
	}
	l.sayWhole(m)
	return nil
}

func (l *merger) sayWhole(m *module) {
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Rescheduled, File: m.file.Name,
		Text: fmt.Sprintf("'%s' is a whole program (-ewp): its kernels may differ from nvlink's", m.file.Name)})
}

// holdsParameters reports whether texture slots of a kernel hold its parameters too, as -r makes them of -ewp: the
// next link adds them to the bank.
func (m *module) holdsParameters() bool {
	for i := range m.heads {
		r := &m.heads[i]
		if r.Type != cuda.SHTRela || int64(r.Info) >= int64(len(m.heads)) {
			continue
		}
		if s := &m.heads[r.Info]; s.Type == cuda.SHTMercImageHeaders && s.Size > r.Size/cubin.RelaSize*4 {
			return true
		}
	}
	return false
}

// hasImages reports whether kernels of an input use textures or surfaces.
func (m *module) hasImages() bool {
	for i := range m.heads {
		if strings.Contains(m.file.SectionName(&m.heads[i]), ".entry_image_header_indices.") {
			return true
		}
	}
	return false
}

// namesShared reports whether shared variables of kernels have symbols.
func (m *module) namesShared() bool {
	for i := range m.syms {
		s := &m.syms[i]
		if s.Type() != cuda.STTCudaObject || s.Size == 0 {
			continue
		}
		if k := m.tab.Shndx(i, s); int64(k) < int64(len(m.heads)) && m.heads[k].Type == cuda.SHTCudaShared && m.heads[k].Owner() != 0 {
			return true
		}
	}
	return false
}

// isPlaced reports whether shared memory or textures of kernels are placed in an input, or their stack is told.
func (m *module) isPlaced() bool {
	for i := range m.heads {
		s := &m.heads[i]
		name := m.file.SectionName(s)
		switch {
		case (strings.HasPrefix(name, ".nv.shared.") || name == ".nv_debug.shared") && !strings.HasPrefix(name, ".nv.shared.reserved."):
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
