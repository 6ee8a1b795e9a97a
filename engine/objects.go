package engine

import (
	"strconv"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// readObjects reads the symbols that are neither functions nor sections:
// pass 2. A defined object merges its section when it is met.
func (l *linker) readObjects(m *module) error {
	for i := 1; i < m.tab.Len(); i++ {
		s, _ := m.tab.At(i)
		switch s.Type() {
		case cuda.STTFunc, cuda.STTSection, cuda.STTNotype, cuda.STTFile:
			continue
		}
		name := l.names.id(m.tab.Name(&s))
		old := symID(absent)
		if s.Binding() != cuda.STBLocal {
			old = l.lookup(name)
		}
		if isImageType(s.Type()) && old != absent && l.syms[old].typ() != s.Type() {
			l.multipleDefinition(m, old)
			continue
		}
		if old != absent && l.syms[old].fun != absent {
			l.clashWithFunction(m, i, old, &s)
			continue
		}
		var err error
		switch shndx := m.tab.Shndx(i, &s); {
		case shndx == cuda.SHNUndef:
			l.undefinedObject(m, i, &s, name, old)
		case shndx == cuda.SHNCommon && s.Shndx == cuda.SHNCommon:
			err = l.commonObject(m, i, &s, name, old)
		default:
			err = l.defineObject(m, i, &s, int(shndx), name, old)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clashWithFunction reports a variable of the name of a function.
func (l *linker) clashWithFunction(m *module, i int, old symID, s *cubin.Symbol) {
	l.spaceMismatch(m, old)
	l.sameManaged(m, old, s)
	l.sameSize(m, old, s)
	l.definedTwice(m, old, s, m.tab.Shndx(i, s))
}

func (l *linker) undefinedObject(m *module, i int, s *cubin.Symbol, name nameID, old symID) {
	if old == absent {
		sym := symbol{name: name, info: s.Info, other: s.Other, flags: symGlobal, sec: absent,
			file: m.num, value: s.Value, size: s.Size}
		if sym.isExternShared() {
			l.poolShared()
		}
		switch {
		case s.Binding() == cuda.STBLocal:
			sym.flags, sym.value = symDead, unplaced
		case s.Binding() == cuda.STBWeak && !isSynthetic(l.names.str(name)):
			sym.flags, sym.value = 0, unplaced
		}
		old = l.newSymbol(sym)
		if s.Binding() != cuda.STBLocal {
			l.setLookup(name, old)
		}
	} else {
		l.sameSpace(m, old, s)
		l.sameSize(m, old, s)
	}
	m.sym[i] = old
}

// sameSpace reports two symbols of a name that lie in different spaces, or of
// which one is managed.
func (l *linker) sameSpace(m *module, old symID, s *cubin.Symbol) {
	if have := &l.syms[old]; (have.other^s.Other)&cuda.STOSpace != 0 {
		l.spaceMismatch(m, old)
	}
	l.sameManaged(m, old, s)
}

func (l *linker) sameManaged(m *module, old symID, s *cubin.Symbol) {
	if (l.syms[old].other^s.Other)&cuda.STOManaged != 0 {
		l.managedMismatch(m, old)
	}
}

// definedTwice reports two definitions of a name of which none gives way.
func (l *linker) definedTwice(m *module, old symID, s *cubin.Symbol, shndx uint32) {
	have := &l.syms[old]
	if have.is(symDefined) && shndx != cuda.SHNUndef && s.Binding() != cuda.STBWeak && have.binding() != cuda.STBWeak {
		l.multipleDefinition(m, old)
	}
}

// sameSize reports two sizes of a name; an array without bounds has size 0
// and fits any.
func (l *linker) sameSize(m *module, old symID, s *cubin.Symbol) {
	have := l.syms[old].size
	if have != s.Size && have != 0 && s.Size != 0 {
		l.sizeMismatch(m, old)
	}
}

// poolShared returns .nv_debug.shared, the section of shared variables that
// belong to no kernel, and makes it where there is none.
func (l *linker) poolShared() secID {
	name := l.names.id(".nv_debug.shared")
	id := l.unowned(name)
	if id == absent {
		id = l.newSection(name, cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc, 1)
		l.setUnowned(name, id)
	}
	return id
}

// commonObject reads a tentative definition; st_value is its alignment.
func (l *linker) commonObject(m *module, i int, s *cubin.Symbol, name nameID, old symID) error {
	if !isAlignment(s.Value) {
		return m.fault(cubin.BadIndex, nil, uint64(i), s.Value, "the alignment of a common symbol is not a power of two, or too large")
	}
	if old == absent {
		old = l.newSymbol(symbol{name: name, info: s.Info, other: s.Other, flags: symGlobal | symCommon,
			sec: absent, file: m.num, value: s.Value, size: s.Size})
		l.setLookup(name, old)
		l.commons = append(l.commons, old)
	}
	m.sym[i] = old
	sym := &l.syms[old]
	l.sameSpace(m, old, s)
	switch {
	case sym.is(symCommon):
		sym.size = max(sym.size, s.Size)
	case !sym.is(symDefined):
		l.sameSize(m, old, s)
		sym.info, sym.other = s.Info, s.Other
		l.makeCommon(old, s)
	case l.secs[sym.sec].typ == cuda.SHTCudaGlobalInit:
		if s.Size > sym.size {
			l.commonTooLarge(m, old, m.file.Name)
		}
	case sym.binding() == cuda.STBWeak:
		// The weak definition's bytes stay, its name goes to the new place.
		l.sameSize(m, old, s)
		l.makeCommon(old, s)
	default:
		l.sameSize(m, old, s)
		l.multipleDefinition(m, old)
	}
	return nil
}

// makeCommon turns a symbol into a tentative definition.
func (l *linker) makeCommon(id symID, s *cubin.Symbol) {
	sym := &l.syms[id]
	sym.flags = sym.flags&^symDefined | symCommon
	sym.sec, sym.value, sym.size = absent, s.Value, s.Size
	l.commons = append(l.commons, id)
}

func (l *linker) defineObject(m *module, i int, s *cubin.Symbol, shndx int, name nameID, old symID) error {
	if shndx >= len(m.sec) {
		return m.fault(cubin.BadIndex, nil, uint64(i), uint64(shndx), "an object in no section")
	}
	in := m.file.Section(shndx)
	if isTable(in.Type) {
		return m.fault(cubin.BadIndex, &in, uint64(i), uint64(shndx), "an object in a section of tables")
	}
	if old != absent && cubin.NoBitsSpace(in.Type) && l.losesTo(old, s) {
		m.sym[i] = old
		m.lose(i)
		l.sameSpace(m, old, s)
		l.sameSize(m, old, s)
		return nil
	}
	if owner := in.Owner(); owner != 0 && int64(owner) < int64(len(m.sec)) && m.sec[owner] == lost && isCompilerBank(in.Type) {
		return nil
	}
	if err := l.mergeSection(m, shndx, &in); err != nil {
		return err
	}
	id := m.sec[shndx]
	if id == lost {
		return nil
	}
	if l.secs[id].fun != absent {
		return m.fault(cubin.BadIndex, &in, uint64(i), uint64(shndx), "an object in a section of code")
	}
	if l.dialect.numbersConstants && l.secs[id].typ == cuda.SHTCudaConstant0+2 {
		// What the compiler called them doesn't survive.
		m.optimized++
		name = l.names.id(l.names.str(l.secs[id].name) + "." + strconv.Itoa(m.optimized))
	}
	sym := symbol{name: name, info: s.Info, other: s.Other, flags: symDefined, sec: id, file: m.num,
		value: s.Value, size: s.Size, fun: absent}
	switch {
	case l.dialect.placesReserved && sym.space() == cuda.STOReservedShared && !l.isRelocatable():
		sym.value = m.base[shndx]
	case !sym.isShared():
		sym.value += m.base[shndx]
	case !isAlignment(s.Value):
		// A shared variable's st_value is its alignment until layout.
		return m.fault(cubin.BadIndex, &in, uint64(i), s.Value, "the alignment of a shared variable is not a power of two, or too large")
	}
	if old == absent {
		if s.Binding() == cuda.STBGlobal {
			sym.flags |= symGlobal
		}
		m.sym[i] = l.newSymbol(sym)
		if s.Binding() != cuda.STBLocal {
			l.setLookup(name, m.sym[i])
		}
		return nil
	}
	m.sym[i] = old
	l.redefineObject(m, i, s, &sym, dataRange{uint32(shndx), s.Value, s.Value + s.Size})
	return nil
}

// isCompilerBank reports whether a section type is a bank of compiler
// constants.
func isCompilerBank(t cuda.SectionType) bool {
	n, ok := cubin.ConstantBank(t)
	return ok && n != 0
}

// losesTo reports whether a weak definition finds the name taken.
func (l *linker) losesTo(old symID, s *cubin.Symbol) bool {
	return l.syms[old].is(symDefined) && s.Binding() == cuda.STBWeak
}

// redefineObject sets a definition against the symbol of that name.
func (l *linker) redefineObject(m *module, i int, s *cubin.Symbol, sym *symbol, bytes dataRange) {
	old := m.sym[i]
	have := &l.syms[old]
	l.sameSpace(m, old, s)
	switch {
	case have.is(symCommon) && l.secs[sym.sec].typ == cuda.SHTCudaGlobalInit:
		if have.size > sym.size {
			l.commonTooLarge(m, old, l.fileName(have.file))
		}
	case have.is(symCommon):
		l.sameSize(m, old, s)
		return // the tentative definition stays, these bytes too
	case !have.is(symDefined):
		l.sameSize(m, old, s)
	default:
		l.sameSize(m, old, s)
		haveWeak, weak := have.binding() == cuda.STBWeak, sym.binding() == cuda.STBWeak
		if !haveWeak && !weak {
			l.multipleDefinition(m, old)
		}
		if !haveWeak || weak {
			m.lose(i)
			if haveWeak && l.secs[sym.sec].typ == cuda.SHTCudaGlobalInit {
				m.lostData = append(m.lostData, bytes)
			}
			return
		}
		// A strong definition takes over; the bytes of both stay.
	}
	sym.flags |= have.flags & symGlobal
	sym.at = l.moment()
	sym.file = have.file
	*have = *sym
}
