package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// paramBankFor returns the bank that takes a kernel's parameters. A second
// definition adds its bank after the first's, whether it won or lost; where
// the symbol is weak the first bank serves both.
func (l *merger) paramBankFor(m *module, s *cubin.Section, owner uint32, name names.ID) model.SecID {
	text := m.sec[owner]
	if text == lost {
		text = m.winner[owner]
	}
	id := l.Owned(text, name)
	if id == model.Absent {
		id = l.Unowned(name) // of a kernel of another input alone
	}
	if id == model.Absent {
		id = l.newParamBank(text, name, s)
		l.SetUnowned(name, id)
	}
	return id
}

// sharesParams reports whether a definition of a kernel uses the parameters that
// its bank has already: where the kernel's symbol is weak.
func (l *merger) sharesParams(m *module, id model.SecID, s *cubin.Section) bool {
	have := &l.Secs[id]
	if have.Owner == model.Absent || have.Size == 0 {
		return false
	}
	text := m.sec[s.Owner()]
	if text == lost {
		text = m.winner[s.Owner()]
	}
	if text == model.Absent { // the bank names no owner
		return false
	}
	f := l.Secs[text].Fun
	if f == model.Absent || l.Syms[l.Funs[f].Sym].Binding() != cuda.STBWeak {
		return false
	}
	if have.Size != s.Size {
		l.paramMismatch(m, l.Funs[f].Sym)
	}
	return true
}

// newParamBank makes .nv.constant0.<k> and, between the section and its
// symbol, an empty relocation section for the header indices that layout may
// put there.
func (l *merger) newParamBank(text model.SecID, name names.ID, s *cubin.Section) model.SecID {
	id := l.NewBareSection(name, s.Type, s.Flags, s.Align)
	l.Own(text, id)
	if !l.IsRelocatable() {
		l.newParamRelocs(id, l.Names.Str(name))
	}
	l.NewSectionSymbol(id)
	return id
}

// newParamRelocs makes the relocation section of a parameter bank. It is the
// only one without SHF_INFO_LINK, save 13.0's --force-rela.
func (l *merger) newParamRelocs(bank model.SecID, name string) {
	switch {
	case l.Opt.ForceRela && l.Release.ParamRelaLink:
		l.NewRelocSection(l.Names.ID(".rela"+name), cuda.SHTRela, l.InfoFlags(), bank)
	case l.Opt.ForceRela:
		l.NewRelocSection(l.Names.ID(".rela"+name), cuda.SHTRela, 0, bank)
	default:
		l.NewRelocSection(l.Names.ID(".rel"+name), cuda.SHTRel, 0, bank)
	}
}
