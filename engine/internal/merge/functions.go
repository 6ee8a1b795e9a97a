package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// newFunction appends a FUNC symbol.
func (l *merger) newFunction(s model.Symbol) model.SymID {
	s.Fun = model.FunID(len(l.Funs))
	id := l.NewSymbol(s)
	l.Funs = append(l.Funs, model.Function{Sym: id, Text: model.Absent, Info: model.Absent, Shared: model.Absent})
	return id
}

// readFunctions reads the FUNC symbols of a module: pass 1.
func (l *merger) readFunctions(m *module) error {
	for i := range l.inOrder(m) {
		if err := l.readFunction(m, i); err != nil {
			return err
		}
	}
	return nil
}

// readFunction reads a symbol if it is a function that hasn't been read. A second
// name of code is listed after the first. Where -r wrote it before, the first is
// read out of turn, unless the second is referred to already: then the code is named
// by the second.
func (l *merger) readFunction(m *module, i int) error {
	s := &m.syms[i]
	if s.Type() != cuda.STTFunc || m.sym[i] != model.Absent {
		return nil
	}
	shndx := m.tab.Shndx(i, s)
	name := l.Names.ID(m.tab.Name(s))
	old := model.SymID(model.Absent)
	if s.Binding() != cuda.STBLocal {
		old = l.Lookup(name)
		if any := l.LookupAny(name); any != old && (l.Syms[any].Other^s.Other)&cuda.STOEntry != 0 {
			l.entryMismatch(m, any) // also with a name of another input alone
		}
	}
	if old != model.Absent {
		if l.Syms[old].Fun == model.Absent {
			return l.clashWithObject(m, s, shndx, old)
		}
		if (l.Syms[old].Other^s.Other)&cuda.STOEntry != 0 {
			l.entryMismatch(m, old)
		}
	}
	if shndx != cuda.SHNUndef {
		if first := m.firstName(shndx); old == model.Absent && first > i {
			if err := l.readFunction(m, first); err != nil {
				return err
			}
		}
		return l.defineFunction(m, i, s, shndx, name, old)
	}
	if old == model.Absent {
		old = l.referToFunction(m, s, name)
	}
	m.sym[i] = old
	return nil
}

// firstName returns the index of the function that a section of code is named by,
// 0 where it isn't one of that section.
func (m *module) firstName(shndx uint32) int {
	if shndx == cuda.SHNUndef || int64(shndx) >= int64(len(m.heads)) {
		return 0
	}
	first := int(m.heads[shndx].Info & 0xffffff)
	if first >= len(m.syms) || m.syms[first].Type() != cuda.STTFunc || m.tab.Shndx(first, &m.syms[first]) != shndx {
		return 0
	}
	return first
}

// clashWithObject tells of a function of the name of a variable. nvlink refuses the input when all its
// symbols have been read: since a function has no node in the call graph, or else since something was told.
func (l *merger) clashWithObject(m *module, s *cubin.Symbol, shndx uint32, old model.SymID) error {
	if s.Other&cuda.STOEntry != 0 {
		l.entryMismatch(m, old)
	}
	l.spaceMismatch(m, old)
	l.definedTwice(m, old, s, shndx)
	have := &l.Syms[old]
	switch {
	case l.Release.WeakByRecord && have.Is(model.SymDefined) && shndx != cuda.SHNUndef && have.Binding() == cuda.STBWeak && s.Binding() == cuda.STBWeak:
		return diag.Refuse(diag.Internal, m.file.Name, "Internal error: no such original reg count")
	case s.Other&cuda.STOEntry == 0:
		m.clash = diag.Refuse(diag.Internal, m.file.Name, "Internal error: no callgraph node")
	case m.clash == nil:
		m.clash = diag.Refuse(diag.MergeFailed, m.file.Name, "merge_elf failed")
	}
	return nil
}

// refuseClash refuses an input that has functions of names of variables.
func (l *merger) refuseClash(m *module) error { return m.clash }

// referToFunction makes the symbol of a function that nothing has defined so far.
func (l *merger) referToFunction(m *module, s *cubin.Symbol, name names.ID) model.SymID {
	if l.Release.NamelessFunc && m.sym[0] == model.Absent && s.Other&cuda.STOEntry == 0 {
		l.Nameless = append(l.Nameless, model.FunID(len(l.Funs)))
		m.sym[0] = l.NewSymbol(model.Symbol{Info: uint8(cuda.STTFunc), Fun: model.Absent, Sec: model.Absent, Flags: model.SymNameless})
	}
	sym := model.Symbol{Name: name, Info: s.Info, Other: s.Other, Sec: model.Absent, File: m.num, Value: s.Value, Size: s.Size}
	if s.Binding() != cuda.STBWeak || l.Release.WeakListed {
		sym.Flags = model.SymGlobal
	}
	id := l.newFunction(sym)
	l.Funs[l.Syms[id].Fun].ReferredAt = l.Moment()
	l.SetLookup(name, id)
	return id
}

// defineFunction reads a function's definition; old is the symbol of that
// name, absent for none.
func (l *merger) defineFunction(m *module, i int, s *cubin.Symbol, shndx uint32, name names.ID, old model.SymID) error {
	if int64(shndx) >= int64(len(m.sec)) {
		return m.fault(cubin.BadIndex, nil, uint64(i), uint64(shndx), "a function in no section")
	}
	text := &m.heads[shndx]
	if text.Type != cuda.SHTProgbits && text.Type != cuda.SHTCudaUFT {
		return m.fault(cubin.BadIndex, text, uint64(i), uint64(shndx), "a function in a section that holds no code")
	}
	if old == model.Absent {
		sym := model.Symbol{Name: name, Info: s.Info, Other: s.Other, Flags: model.SymDefined, File: m.num, Value: s.Value, Size: s.Size}
		if l.isListed(s) {
			sym.Flags |= model.SymGlobal
		}
		old = l.newFunction(sym)
		l.SetLookup(name, old)
		m.sym[i] = old
		return l.newText(m, uint32(i), shndx, text, old)
	}
	m.sym[i] = old
	sym := &l.Syms[old]
	if !sym.Is(model.SymDefined) {
		other := s.Other&^cuda.STOManaged | sym.Other&cuda.STOManaged // what is unified is said by the first
		sym.Info, sym.Other, sym.Value, sym.Size = s.Info, other, s.Value, s.Size
		sym.Flags |= model.SymDefined
		sym.File = m.num
		sym.At = l.Moment()
		return l.newText(m, uint32(i), shndx, text, old)
	}
	return l.redefineFunction(m, i, s, shndx, text, old)
}

// newText makes the code section of a function that has no definition yet,
// and a kernel's sections.
func (l *merger) newText(m *module, index, shndx uint32, text *cubin.Section, sym model.SymID) error {
	fun := l.Syms[sym].Fun
	if id := m.sec[shndx]; id != model.Absent {
		// A second name of the same code, or of the code that won against it.
		if id == lost {
			id = m.winner[shndx]
		}
		l.Syms[sym].Sec = id
		l.Funs[fun].Text = id
		return nil
	}
	name := l.Names.Joined(m.file.SectionName(text), names.Text, l.Syms[sym].Name)
	if m.firstName(shndx) > int(index) {
		name = l.Names.Join(names.Text, l.Syms[sym].Name)
	}
	id := l.NewSection(name, text.Type, text.Flags, text.Align)
	l.Syms[sym].Sec = id
	l.Funs[fun].From, l.Funs[fun].Whole = m.num, m.file.Header.Type == cuda.ETEwp
	l.Secs[id].Fun = fun
	l.Secs[id].Regs = uint8(text.Info >> 24)
	l.Funs[fun].Text = id
	l.Funs[fun].LikeDriver = l.Release.DriverDefines(l.Names.Str(l.Syms[sym].Name))
	if l.IsReadAsEntry(fun) {
		name := l.Syms[sym].Name
		l.Funs[fun].Info = l.NewOwned(id, l.Names.Join(names.Info, name), cuda.SHTCudaInfo, l.InfoFlags(), 4)
		l.Funs[fun].InfoMade = l.Moment()
		l.Funs[fun].Shared, _ = l.SharedFor(id, name)
	}
	return l.fillText(m, shndx, text, id)
}

func (l *merger) fillText(m *module, shndx uint32, text *cubin.Section, id model.SecID) error {
	if text.Align&(text.Align-1) != 0 {
		return m.fault(cubin.BadHeader, text, text.Off, text.Align, "sh_addralign is not a power of two")
	}
	m.sec[shndx] = id
	l.Secs[id].Present = text.Size == 0
	_, err := l.appendChunk(m, id, int(shndx), text)
	return err
}

// redefineFunction decides between two definitions of a name: a strong one
// beats a weak one, and of two weak ones the later wins if it needs strictly
// fewer registers, or as many and its PTX was written for a newer SM.
func (l *merger) redefineFunction(m *module, i int, s *cubin.Symbol, shndx uint32, text *cubin.Section, old model.SymID) error {
	sym := &l.Syms[old]
	oldWeak, newWeak := sym.Binding() == cuda.STBWeak, s.Binding() == cuda.STBWeak
	replace := false
	switch {
	case !oldWeak && !newWeak:
		l.multipleDefinition(m, old)
		if m.twice == nil {
			m.twice = make(map[uint32]bool)
		}
		m.twice[shndx] = true
	case !newWeak:
		replace = true
	case oldWeak:
		now, before := l.registersOf(m, uint32(i), text), l.registers(sym.Fun)
		replace = now < before || now == before && l.VirtualSM(m.file) > l.VirtualSM(l.Files[sym.File])
	}
	if !replace {
		m.lose(i)
		if m.sec[shndx] == model.Absent {
			m.sec[shndx] = lost
			if m.winner == nil {
				m.winner = make(map[uint32]model.SecID)
			}
			m.winner[shndx] = l.Funs[sym.Fun].Text
		}
		return nil
	}
	return l.replaceFunction(m, s, shndx, text, old)
}

// registers returns the register count a weak definition is judged by.
func (l *merger) registers(f model.FunID) uint32 {
	if n := l.Secs[l.Funs[f].Text].Regs; n != 0 || !l.Release.WeakByRecord {
		return uint32(n)
	}
	return l.Funs[f].Regs
}

// registersOf is the same for a definition of a module that is being read: the
// code's register byte, or where that is 0 its REGCOUNT record.
func (l *merger) registersOf(m *module, sym uint32, text *cubin.Section) uint32 {
	if n := text.Info >> 24; n != 0 || !l.Release.WeakByRecord {
		return n
	}
	if m.regs == nil {
		m.regs = m.registerRecords()
	}
	return m.regs[sym]
}

// registerRecords reads the REGCOUNT records of a module.
func (m *module) registerRecords() map[uint32]uint32 {
	regs := make(map[uint32]uint32)
	for i := 1; i < len(m.heads); i++ {
		s := &m.heads[i]
		if s.Type != cuda.SHTCudaInfo || s.Owner() != 0 {
			continue
		}
		r := m.file.Info(s)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrRegcount {
				of, _ := rec.Word(0)
				n, _ := rec.Word(1)
				regs[of] = n
			}
		}
	}
	return regs
}

// replaceFunction takes the later of two definitions. The earlier one's code,
// relocations and facts go; its call-graph edges and debug bytes stay.
func (l *merger) replaceFunction(m *module, s *cubin.Symbol, shndx uint32, text *cubin.Section, old model.SymID) error {
	sym := &l.Syms[old]
	fun := sym.Fun
	f := &l.Funs[fun]
	out := &l.Secs[f.Text]
	if !l.Release.LoserDebug && l.hasRelocs(f.Text) {
		if l.LostDebug == nil {
			l.LostDebug = make(map[model.SymID]int32)
		}
		l.LostDebug[old] = f.From // and what was before it, though that went without relocations of its own
	}
	sym.Info, sym.Other, sym.Size = s.Info, s.Other, s.Size
	f.From, f.Whole = m.num, m.file.Header.Type == cuda.ETEwp
	f.Replaced++
	f.Callees.Since, f.Edges.Since = len(f.Callees.List), len(f.Edges.List)
	out.Flags, out.Align, out.Size, l.Parts[f.Text].Chunks = text.Flags, text.Align, 0, nil
	out.Regs = uint8(text.Info >> 24)
	for r := l.Parts[f.Text].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
		l.Parts[r].Relocs = nil
	}
	if f.Info != model.Absent {
		l.InfoOf(f.Info).Read = nil
		f.InfoMade, f.InfoAt = 0, 0
	}
	l.loseBanks(f.Text)
	for k, at := range f.Mod {
		if at > 0 {
			l.ModuleAttributes[at-1].Gone = true
			f.Mod[k] = 0
		}
	}
	f.Regs, f.Frame = 0, 0
	if m.sec[shndx] >= 0 {
		// A second name of code that is merged already: its section here stays
		// empty, and takes what else the input says of that code.
		m.sec[shndx] = f.Text
		out.Present = true
		return nil
	}
	return l.fillText(m, shndx, text, f.Text)
}

// loseBanks empties the banks of compiler constants of a definition that is replaced. One that a
// definition that lost had left there goes; the next makes another.
func (l *merger) loseBanks(text model.SecID) {
	next := model.SecID(model.Absent)
	for id := l.Parts[text].FirstOwned; id != model.Absent; id = next {
		next = l.Parts[id].NextOwned
		if n, ok := cubin.ConstantBank(l.Secs[id].Type); !ok || n == 0 {
			continue
		}
		stray := l.Secs[id].Stray
		for r := l.Parts[id].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
			l.Secs[r].Deleted = stray || l.keepsLostTables() // if kept, until the table is filled again
			if stray || !l.keepsLostTables() {
				l.Parts[r].Relocs = nil
			}
		}
		l.Secs[id].Size, l.Parts[id].Chunks = 0, nil
		l.Secs[id].Deleted, l.Secs[id].Emptied = true, !stray
		if stray {
			l.Disown(text, id)
		}
	}
}

// hasRelocs reports whether a function has relocations: where those of replaced tables go, also a
// table that a definition that lost left to it.
func (l *merger) hasRelocs(text model.SecID) bool {
	if l.Parts[text].FirstRel != model.Absent {
		return true
	}
	for id := l.Parts[text].FirstOwned; id != model.Absent && l.Release.DropsLostTables; id = l.Parts[id].NextOwned {
		if l.Secs[id].Stray && l.Parts[id].FirstRel != model.Absent {
			return true
		}
	}
	return false
}

// keepsLostTables reports whether the relocations of a replaced definition's jump tables stay.
func (l *merger) keepsLostTables() bool {
	return l.Dialect.MovesTargets && !l.Release.DropsLostTables
}

// isListed reports whether a definition stands among the global symbols.
func (l *merger) isListed(s *cubin.Symbol) bool {
	return s.Binding() == cuda.STBGlobal || l.Release.WeakListed && s.Binding() == cuda.STBWeak
}
