package merge

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// misreadsStack reports whether the release sorts an input's symbols, from sm_100 on, and
// MAX_STACK_SIZE keeps the number that its symbol had before.
func (l *merger) misreadsStack() bool {
	return l.Release.SortsSymbols && l.IsRelocatable() && l.Dialect == &release.Mercury
}

// misread gives a record the symbol that has its number once the local ones stand in front,
// and says so once for an input; false where that one stands for a section.
func (l *merger) misread(m *module, rec *cubin.InfoRecord) bool {
	w, ok := rec.Word(0)
	if m.localsFirst == nil {
		m.localsFirst = m.sortedSymbols()
	}
	if !ok || int64(w) >= int64(len(m.localsFirst)) || m.localsFirst[w] == w {
		return true
	}
	if !m.toldMisread {
		m.toldMisread = true
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: m.file.Name, Section: ".nv.info",
			Text: fmt.Sprintf("MAX_STACK_SIZE in '%s' comes to name other functions, as with -r of nvlink %s", m.file.Name, l.Release.Name)})
	}
	rec.Data = slices.Clone(rec.Data)
	binary.LittleEndian.PutUint32(rec.Data, m.localsFirst[w])
	return m.syms[m.localsFirst[w]].Type() != cuda.STTSection
}

// sortedSymbols returns the numbers of symbols, those of local ones first.
func (m *module) sortedSymbols() []uint32 {
	list := make([]uint32, 0, len(m.syms))
	for _, local := range []bool{true, false} {
		for i := range m.syms {
			if m.syms[i].Binding() == cuda.STBLocal == local {
				list = append(list, uint32(i))
			}
		}
	}
	return list
}
