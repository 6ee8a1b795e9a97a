package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// redefineObject sets a definition that doesn't lose against the symbol of that name.
func (l *merger) redefineObject(m *module, i int, s *cubin.Symbol, sym *model.Symbol) {
	old := m.sym[i]
	have := &l.Syms[old]
	l.sameSpace(m, old, s)
	switch {
	case have.IsExternShared():
		l.sizeExternShared(m, i, s, sym)
		return
	case have.Is(model.SymSettled):
		l.sameSize(m, old, s)
		l.multipleDefinition(m, old)
		return
	case have.Is(model.SymCommon) && (have.Is(model.SymCrossed) || l.standsAgainstCommon(l.Secs[sym.Sec].Type)):
		l.overruleCommon(m, old, s, sym)
	case have.Is(model.SymCommon):
		l.sameSize(m, old, s)
		have.Flags |= model.SymSettled
		have.Info = s.Info
		return // the tentative definition stays, these bytes too
	case !have.Is(model.SymDefined):
		l.sameSize(m, old, s)
	case have.Binding() != cuda.STBWeak:
		l.loseToStrong(m, i, s)
		return
	default:
		l.replaceWeak(m, old, s, sym)
	}
	sym.Flags |= have.Flags & model.SymGlobal
	sym.At = l.Moment()
	sym.File = have.File
	*have = *sym
}

// sizeExternShared lets a definition give an array without bounds in shared memory its size. It has one
// place, whoever else defines it.
func (l *merger) sizeExternShared(m *module, i int, s *cubin.Symbol, sym *model.Symbol) {
	old := m.sym[i]
	have := &l.Syms[old]
	isStrong := s.Binding() != cuda.STBWeak
	switch {
	case !isShared(s):
		if isStrong {
			l.multipleDefinition(m, old)
		}
		return
	case have.Is(model.SymSized):
		l.sameSize(m, old, s)
		if isStrong && have.Binding() != cuda.STBWeak {
			l.multipleDefinition(m, old)
		}
	default:
		have.Flags |= model.SymSized
		have.Size, have.Sec, have.Info = s.Size, sym.Sec, s.Info
	}
	m.lose(i)
}

// overruleCommon puts a definition in the place of a tentative one, which must not be larger.
func (l *merger) overruleCommon(m *module, old model.SymID, s *cubin.Symbol, sym *model.Symbol) {
	have := &l.Syms[old]
	if have.Size > sym.Size {
		l.commonTooLarge(m, old, l.FileName(have.File))
	}
	if l.Secs[sym.Sec].Type != cuda.SHTCudaGlobalInit {
		l.sameSize(m, old, s)
	}
	have.File = m.num
}

// loseToStrong notes a definition whose name has a strong one.
func (l *merger) loseToStrong(m *module, i int, s *cubin.Symbol) {
	old := m.sym[i]
	l.sameSize(m, old, s)
	if !isShared(s) || l.Syms[old].Size > 0 {
		l.multipleDefinition(m, old)
	}
	m.lose(i)
}

// replaceWeak lets a strong definition take over; the bytes of both stay.
func (l *merger) replaceWeak(m *module, old model.SymID, s *cubin.Symbol, sym *model.Symbol) {
	have := &l.Syms[old]
	l.sameSize(m, old, s)
	if m.replaced == nil {
		m.replaced = make(map[model.SymID]bool)
	}
	m.replaced[old] = true
	if have.IsShared() {
		sym.Flags |= model.SymTwice
		sym.Value = have.Value // the alignment
	}
}
