package merge

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
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
	if !ok || l.sortedAt(m, w) == w {
		return true
	}
	l.tellMisread(m, rec.Attr)
	rec.Data = slices.Clone(rec.Data)
	binary.LittleEndian.PutUint32(rec.Data, l.sortedAt(m, w))
	return m.syms[l.sortedAt(m, w)].Type() != cuda.STTSection
}

// sortedAt is the number in the input of the symbol that has a number once the local ones
// stand in front.
func (l *merger) sortedAt(m *module, w uint32) uint32 {
	if m.localsFirst == nil {
		m.localsFirst = []uint32{0}
		for i := range l.inOrder(m) {
			m.localsFirst = append(m.localsFirst, uint32(i))
		}
	}
	if int64(w) >= int64(len(m.localsFirst)) {
		return w
	}
	return m.localsFirst[w]
}

func (l *merger) tellMisread(m *module, attr cuda.InfoAttr) {
	if slices.Contains(m.toldMisread, attr) {
		return
	}
	m.toldMisread = append(m.toldMisread, attr)
	name, with := "MAX_STACK_SIZE", "-r of "
	if attr == cuda.AttrExterns {
		name, with = "EXTERNS", ""
	}
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: m.file.Name, Section: ".nv.info",
		Text: fmt.Sprintf("%s in '%s' refers to other functions, as with %snvlink %s", name, m.file.Name, with, l.Release.Name)})
}

// externs are the symbols that a record's list names; where an input's symbols are sorted, those
// that have the numbers afterwards.
func (l *merger) externs(m *module, s *cubin.Section, rec *cubin.InfoRecord) (model.ListID, error) {
	n := len(rec.Data) / 4
	list, sorts := l.symbolLists.List(n), l.sortsSymbols()
	for i := range n {
		w, _ := rec.Word(i)
		if sorts && l.sortedAt(m, w) != w {
			l.tellMisread(m, rec.Attr)
			if w = l.sortedAt(m, w); m.syms[w].Type() == cuda.STTSection {
				continue
			}
		}
		sym, err := l.symbolOf(m, s, w)
		if err != nil {
			return 0, err
		}
		list = append(list, sym)
	}
	return l.NewSymList(list), nil
}
