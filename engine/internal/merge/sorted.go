package merge

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// sortsSymbols reports whether local symbols of an input come to be in front.
func (l *merger) sortsSymbols() bool { return l.Release.LocalsFirst && l.Dialect == &release.Mercury }

// inOrder goes over the numbers of an input's symbols as they are read, without the null one.
func (l *merger) inOrder(m *module) iter.Seq[int] {
	return func(yield func(int) bool) {
		sorts := l.sortsSymbols()
		for i := 1; i < len(m.syms); i++ {
			if !(sorts && m.syms[i].Binding() != cuda.STBLocal) && !yield(i) {
				return
			}
		}
		for i := 1; sorts && i < len(m.syms); i++ {
			if m.syms[i].Binding() != cuda.STBLocal && !yield(i) {
				return
			}
		}
	}
}

// misreadsStack reports whether MAX_STACK_SIZE keeps the number that its symbol had before
// the symbols were sorted.
func (l *merger) misreadsStack() bool { return l.sortsSymbols() && l.IsRelocatable() }

// misread gives a record the symbol that has its number once the local ones are in front,
// and says so once for an input; false where that one stands for a section.
func (l *merger) misread(m *module, rec *cubin.InfoRecord) bool {
	w, ok := rec.Word(0)
	if m.localsFirst == nil {
		m.localsFirst = []uint32{0}
		for i := range l.inOrder(m) {
			m.localsFirst = append(m.localsFirst, uint32(i))
		}
	}
	if !ok || int64(w) >= int64(len(m.localsFirst)) || m.localsFirst[w] == w {
		return true
	}
	if !m.toldMisread {
		m.toldMisread = true
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: m.file.Name, Section: ".nv.info",
			Text: fmt.Sprintf("MAX_STACK_SIZE in '%s' refers to other functions, as with -r of nvlink %s", m.file.Name, l.Release.Name)})
	}
	rec.Data = slices.Clone(rec.Data)
	binary.LittleEndian.PutUint32(rec.Data, m.localsFirst[w])
	return m.syms[m.localsFirst[w]].Type() != cuda.STTSection
}
