package merge

import (
	"strconv"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// readObjects reads the symbols that are neither functions nor sections:
// pass 2. A defined object merges its section when it is met.
func (l *merger) readObjects(m *module) error {
	for i := range l.inOrder(m) {
		s := &m.syms[i]
		switch s.Type() {
		case cuda.STTFunc, cuda.STTSection, cuda.STTNotype, cuda.STTFile:
			continue
		}
		name := l.Names.ID(m.tab.Name(s))
		old := model.SymID(model.Absent)
		switch {
		case s.Binding() != cuda.STBLocal:
			old = l.Lookup(name)
		case isConstantSize(m.tab.Name(s), s):
			old = l.LookupAny(name) // all inputs share it
		}
		if any := l.LookupAny(name); model.IsTextureType(s.Type()) && any != model.Absent && l.Syms[any].Type() != s.Type() {
			l.multipleDefinition(m, any) // also with a name of another input alone
			continue
		}
		if old != model.Absent && l.Syms[old].Fun != model.Absent {
			l.clashWithFunction(m, i, old, s)
			continue
		}
		var err error
		switch shndx := m.tab.Shndx(i, s); {
		case shndx == cuda.SHNUndef:
			l.undefinedObject(m, i, s, name, old)
		case shndx == cuda.SHNCommon && s.Shndx == cuda.SHNCommon:
			err = l.commonObject(m, i, s, name, old)
		default:
			err = l.defineObject(m, i, s, int(shndx), name, old)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isConstantSize reports whether a symbol is the one that represents how long the
// program's constants are.
func isConstantSize(name string, s *cubin.Symbol) bool {
	return name == model.ConstantSize && s.Binding() == cuda.STBLocal && s.Shndx == cuda.SHNUndef
}

// clashWithFunction reports a variable of the name of a function.
func (l *merger) clashWithFunction(m *module, i int, old model.SymID, s *cubin.Symbol) {
	l.spaceMismatch(m, old)
	l.sameManaged(m, old, s)
	l.sameSize(m, old, s)
	l.definedTwice(m, old, s, m.tab.Shndx(i, s))
}

func (l *merger) undefinedObject(m *module, i int, s *cubin.Symbol, name names.ID, old model.SymID) {
	if old == model.Absent {
		sym := model.Symbol{Name: name, Info: s.Info, Other: s.Other, Flags: model.SymGlobal, Sec: model.Absent,
			File: m.num, Value: s.Value, Size: s.Size}
		if sym.IsExternShared() {
			pool := &l.Secs[l.PoolShared()]
			if model.IsDynamicAlignment(s.Value) {
				pool.Align = max(pool.Align, s.Value)
			}
		}
		switch {
		case s.Binding() == cuda.STBLocal:
			sym.Flags = model.SymDead // it keeps its value
			if l.IsRelocatable() {
				sym.Flags = 0
			}
		case s.Binding() == cuda.STBWeak && !l.Release.ListsDescSizes && model.IsDescSize(l.Names.Str(name)):
			sym.Flags = 0
		case s.Binding() == cuda.STBWeak && !model.IsSynthetic(l.Names.Str(name)):
			if !sym.IsExternShared() {
				sym.Value = model.Unplaced
			}
			if !l.Release.WeakListed {
				sym.Flags = 0
			}
		}
		old = l.NewSymbol(sym)
		if s.Binding() != cuda.STBLocal || isConstantSize(m.tab.Name(s), s) {
			l.SetLookup(name, old)
		}
	} else {
		l.sameSpace(m, old, s)
		l.sameSize(m, old, s)
	}
	m.sym[i] = old
}

// sameSpace reports two symbols of a name that are in different spaces, or of
// which one is managed.
func (l *merger) sameSpace(m *module, old model.SymID, s *cubin.Symbol) {
	if have := &l.Syms[old]; (have.Other^s.Other)&cuda.STOSpace != 0 {
		l.spaceMismatch(m, old)
	}
	l.sameManaged(m, old, s)
}

func (l *merger) sameManaged(m *module, old model.SymID, s *cubin.Symbol) {
	if (l.Syms[old].Other^s.Other)&cuda.STOManaged != 0 {
		l.managedMismatch(m, old)
	}
}

// definedTwice reports two definitions of a name of which none gives way.
func (l *merger) definedTwice(m *module, old model.SymID, s *cubin.Symbol, shndx uint32) {
	have := &l.Syms[old]
	taken := have.Is(model.SymDefined) || have.IsExternShared()
	if isShared(s) && have.Size == 0 {
		taken = false // a second name of a function too
	}
	if taken && shndx != cuda.SHNUndef && s.Binding() != cuda.STBWeak && have.Binding() != cuda.STBWeak {
		l.multipleDefinition(m, old)
	}
}

// sameSize reports two sizes of a name; an array without bounds has size 0
// and fits any. A function's second name has size 0 too, and fits none.
func (l *merger) sameSize(m *module, old model.SymID, s *cubin.Symbol) {
	have := &l.Syms[old]
	open := have.Size == 0 && (have.Fun == model.Absent || !have.Is(model.SymDefined))
	if have.Size != s.Size && !open && (s.Size != 0 || s.Shndx != cuda.SHNUndef && (have.Is(model.SymDefined) || isShared(s))) {
		l.sizeMismatch(m, old)
	}
}

// isShared reports whether a symbol of an input is a variable in shared memory.
func isShared(s *cubin.Symbol) bool {
	return s.Type() == cuda.STTCudaObject && s.Other&cuda.STOSpace == cuda.STOShared
}

// commonObject reads a tentative definition; st_value is its alignment.
func (l *merger) commonObject(m *module, i int, s *cubin.Symbol, name names.ID, old model.SymID) error {
	if !model.IsAlignment(s.Value) {
		return m.fault(cubin.BadIndex, nil, uint64(i), s.Value, "the alignment of a common symbol is not a power of two, or too large")
	}
	if old == model.Absent {
		old = l.NewSymbol(model.Symbol{Name: name, Info: s.Info, Other: s.Other, Flags: model.SymGlobal | model.SymCommon,
			Sec: model.Absent, File: m.num, Value: s.Value, Size: s.Size})
		l.SetLookup(name, old)
		l.Commons = append(l.Commons, old)
	}
	m.sym[i] = old
	sym := &l.Syms[old]
	l.sameSpace(m, old, s)
	switch {
	case sym.Is(model.SymSettled):
		l.sameSize(m, old, s)
		l.multipleDefinition(m, old)
	case sym.Is(model.SymCommon):
		if sym.Size < s.Size {
			sym.File = m.num // messages name the input that made it larger
		}
		sym.Size = max(sym.Size, s.Size)
	case sym.IsExternShared():
		l.sizeMismatch(m, old)
		l.multipleDefinition(m, old)
	case !sym.Is(model.SymDefined):
		l.sameSize(m, old, s)
		sym.Info, sym.Other = s.Info, s.Other
		l.makeCommon(old, s)
	case l.Secs[sym.Sec].Type == cuda.SHTCudaGlobalInit:
		if s.Size > sym.Size {
			l.commonTooLarge(m, old, m.file.Name)
		}
	case l.standsAgainstCommon(l.Secs[sym.Sec].Type):
		l.sameSize(m, old, s)
	case sym.Binding() == cuda.STBWeak:
		// The weak definition's bytes stay, its name goes to the new place.
		l.sameSize(m, old, s)
		l.makeCommon(old, s)
	default:
		l.sameSize(m, old, s)
		l.multipleDefinition(m, old)
	}
	return nil
}

// standsAgainstCommon reports whether a definition in a section of some type is where
// a tentative one has the same name, whatever their order.
func (l *merger) standsAgainstCommon(t cuda.SectionType) bool {
	return t == cuda.SHTCudaGlobalInit || l.Release.ZeroedDefines && t == cuda.SHTCudaGlobal
}

// makeCommon turns a symbol into a tentative definition.
func (l *merger) makeCommon(id model.SymID, s *cubin.Symbol) {
	sym := &l.Syms[id]
	sym.Flags = sym.Flags&^model.SymDefined | model.SymCommon
	sym.Sec, sym.Value, sym.Size = model.Absent, s.Value, s.Size
	l.Commons = append(l.Commons, id)
}

// defineObject reads a definition; old is the symbol of that name, absent for none.
func (l *merger) defineObject(m *module, i int, s *cubin.Symbol, shndx int, name names.ID, old model.SymID) error {
	if shndx >= len(m.sec) {
		return m.fault(cubin.BadIndex, nil, uint64(i), uint64(shndx), "an object in no section")
	}
	in := &m.heads[shndx]
	if isTable(in.Type) {
		return m.fault(cubin.BadIndex, in, uint64(i), uint64(shndx), "an object in a section of tables")
	}
	if old != model.Absent && l.losesTo(old, s) {
		l.loseObject(m, i, s, shndx, old)
		return nil
	}
	if m.isOfLoser(in) && isCompilerBank(in.Type) {
		m.optimized++ // its name goes with it, its number doesn't
		return nil
	}
	if isShared(s) && s.Size == 0 && s.Binding() != cuda.STBLocal && (old == model.Absent || l.Syms[old].IsExternShared()) {
		// A relocatable link gave dynamic shared memory a place, which the tool doesn't look at
		// but to find the name taken.
		if old != model.Absent && s.Binding() != cuda.STBWeak && l.Syms[old].Binding() != cuda.STBWeak {
			l.multipleDefinition(m, old)
		}
		l.undefinedObject(m, i, s, name, old)
		return nil
	}
	id, err := l.mergeObjectsSection(m, s, shndx)
	if err != nil || id == lost {
		return err
	}
	if l.Secs[id].Fun != model.Absent {
		return m.fault(cubin.BadIndex, in, uint64(i), uint64(shndx), "an object in a section of code")
	}
	sym := model.Symbol{Name: l.objectName(m, id, name), Info: s.Info, Other: s.Other, Flags: model.SymDefined, Sec: id, File: m.num,
		Value: s.Value, Size: s.Size, Fun: model.Absent}
	if err := l.placeObject(m, i, s, shndx, &sym); err != nil {
		return err
	}
	if old == model.Absent {
		if l.isListed(s) {
			sym.Flags |= model.SymGlobal
		}
		m.sym[i] = l.NewSymbol(sym)
		l.SetLookup(sym.Name, m.sym[i])
		return nil
	}
	m.sym[i] = old
	l.redefineObject(m, i, s, &sym)
	return nil
}

// loseObject notes a definition that loses to the symbol of its name.
func (l *merger) loseObject(m *module, i int, s *cubin.Symbol, shndx int, old model.SymID) {
	have := &l.Syms[old]
	if l.standsAgainstCommon(m.heads[shndx].Type) {
		if have.Is(model.SymCommon) && !have.Is(model.SymSettled) {
			if have.Size > s.Size {
				l.commonTooLarge(m, old, l.FileName(have.File))
			}
			have.Flags |= model.SymCrossed
		}
		if have.Binding() == cuda.STBWeak {
			m.lostData = append(m.lostData, dataRange{uint32(shndx), s.Value, s.Value + s.Size})
		}
	}
	m.sym[i] = old
	m.lose(i)
	l.sameSpace(m, old, s)
	if !have.Is(model.SymCrossed) || m.heads[shndx].Type != cuda.SHTCudaGlobalInit {
		l.sameSize(m, old, s)
	}
}

// isOfLoser reports whether an input section belongs to code that lost.
func (m *module) isOfLoser(in *cubin.Section) bool {
	owner := in.Owner()
	return owner != 0 && int64(owner) < int64(len(m.sec)) && m.sec[owner] == lost
}

// mergeObjectsSection merges the section of an object and returns its section of the
// image, or lost.
func (l *merger) mergeObjectsSection(m *module, s *cubin.Symbol, shndx int) (model.SecID, error) {
	in := &m.heads[shndx]
	align := uint64(1)
	if pool := l.Unowned(l.Names.ID(".nv_debug.shared")); pool != model.Absent {
		align = l.Secs[pool].Align
	}
	if err := l.mergeSection(m, shndx, in); err != nil {
		return lost, err
	}
	id := m.sec[shndx]
	if isShared(s) && in.Owner() == 0 && id != lost && model.IsAlignment(s.Value) {
		l.Secs[id].Align = max(align, s.Value) // what an input's header says doesn't count
	}
	return id, nil
}

// objectName is the name that an object of a section gets: of compiler constants what
// the compiler called them survives in some links only.
func (l *merger) objectName(m *module, id model.SecID, name names.ID) names.ID {
	if !l.Dialect.NumbersConstants || l.Release.NamesConstants || l.Secs[id].Type != cuda.SHTCudaConstant0+2 {
		return name
	}
	m.optimized++
	return l.Names.ID(l.Names.Str(l.Secs[id].Name) + "." + strconv.Itoa(m.optimized))
}

// placeObject gives an object its value: its offset in the section, or of a shared
// variable the alignment, which it keeps until layout.
func (l *merger) placeObject(m *module, i int, s *cubin.Symbol, shndx int, sym *model.Symbol) error {
	in := &m.heads[shndx]
	switch {
	case l.Dialect.PlacesReserved && sym.Space() == cuda.STOReservedShared:
		if !model.IsAlignment(s.Value) || s.Size > 1<<32 {
			return m.fault(cubin.BadIndex, in, uint64(i), s.Value, "a reserved shared variable's alignment is not a power of two, or it is too large")
		}
	case !sym.IsShared():
		sym.Value += m.base[shndx]
	case !model.IsAlignment(s.Value) && m.file.Header.Type == cuda.ETEwp:
		return diag.Refuse(diag.Unsupported, m.file.Name, "'%s' is a whole program (-ewp -g) whose shared variables have offsets, which is not supported by twinlink", m.file.Name)
	case !model.IsAlignment(s.Value):
		return m.fault(cubin.BadIndex, in, uint64(i), s.Value, "the alignment of a shared variable is not a power of two, or too large")
	}
	return nil
}

// isCompilerBank reports whether a section type is a bank of compiler
// constants.
func isCompilerBank(t cuda.SectionType) bool {
	n, ok := cubin.ConstantBank(t)
	return ok && n != 0
}

// losesTo reports whether a weak definition finds the name taken.
func (l *merger) losesTo(old model.SymID, s *cubin.Symbol) bool {
	have := &l.Syms[old]
	return s.Binding() == cuda.STBWeak && have.Is(model.SymDefined|model.SymCommon)
}
