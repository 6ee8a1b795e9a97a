package engine

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// function is what a link knows of a function: defined, or only named.
type function struct {
	sym    symID
	text   secID // absent while undefined
	info   secID // .nv.info.<f>
	shared secID // .nv.shared.<k> of a kernel

	callees  calls    // CALL, oldest first
	icalls   []nameID // prototypes it calls through, oldest first
	edges    calls    // functions whose address it takes, oldest first
	proto    nameID
	hasProto bool  // proto was given, if only as an empty one
	from     int32 // input of the definition that stands
	replaced int32 // definitions before that one
	taken    bool  // its address is taken
	live     bool

	mod [modRecords]int32 // its records in the module list, index + 1

	infoAt   int32  // when its first .nv.info.<f> was read
	regs     uint32 // REGCOUNT
	frame    uint32 // FRAME_SIZE
	barriers uint32
}

// Module records of a function that go when its definition is replaced.
const (
	modRegs = iota
	modFrame
	modMaxStack
	modSamRegion
	modRecords
)

// entry reports whether f is a kernel that no filter hides: without
// --kernels-used one whose address is taken stays too. A hidden one that stays
// (nothing is removed with -g and --preserve-relocs) is taken for a device
// function.
func (l *linker) entry(f funID) bool {
	s := &l.syms[l.funs[f].sym]
	return s.other&cuda.STOEntry != 0 && (l.opt.KernelsUsed == nil && l.funs[f].taken || l.keptKernel(s.name))
}

// newFunction appends a FUNC symbol.
func (l *linker) newFunction(s symbol) symID {
	s.fun = funID(len(l.funs))
	id := l.newSymbol(s)
	l.funs = append(l.funs, function{sym: id, text: absent, info: absent, shared: absent})
	return id
}

// readFunctions reads the FUNC symbols of a module: pass 1.
func (l *linker) readFunctions(m *module) error {
	nameless := false
	for i := 1; i < m.tab.Len(); i++ {
		s, _ := m.tab.At(i)
		if s.Type() != cuda.STTFunc {
			continue
		}
		name := l.names.id(m.tab.Name(&s))
		old := symID(absent)
		if s.Binding() != cuda.STBLocal {
			old = l.lookup(name)
		}
		shndx := m.tab.Shndx(i, &s)
		if old != absent && l.syms[old].fun == absent {
			if s.Other&cuda.STOEntry != 0 {
				l.entryMismatch(m, old)
			}
			l.spaceMismatch(m, old)
			l.definedTwice(m, old, &s, shndx)
			if s.Other&cuda.STOEntry != 0 {
				return refuse(MergeFailed, m.file.Name, "merge_elf failed")
			}
			return refuse(Internal, m.file.Name, "Internal error: no callgraph node")
		}
		if old != absent && (l.syms[old].other^s.Other)&cuda.STOEntry != 0 {
			l.entryMismatch(m, old)
		}
		if shndx == cuda.SHNUndef {
			if old == absent {
				if l.prof.namelessFunc && !nameless {
					nameless = true
					l.nameless = append(l.nameless, funID(len(l.funs)))
					m.sym[0] = l.newSymbol(symbol{info: uint8(cuda.STTFunc), fun: absent, sec: absent, flags: symNameless})
				}
				sym := symbol{name: name, info: s.Info, other: s.Other, sec: absent, file: m.num, value: s.Value, size: s.Size}
				if s.Binding() != cuda.STBWeak {
					sym.flags = symGlobal
				}
				old = l.newFunction(sym)
				l.setLookup(name, old)
			}
			m.sym[i] = old
			continue
		}
		if err := l.defineFunction(m, i, &s, shndx, name, old); err != nil {
			return err
		}
	}
	return nil
}

// defineFunction reads a function's definition; old is the symbol of that
// name, absent for none.
func (l *linker) defineFunction(m *module, i int, s *cubin.Symbol, shndx uint32, name nameID, old symID) error {
	if int64(shndx) >= int64(len(m.sec)) {
		return m.fault(cubin.BadIndex, nil, uint64(i), uint64(shndx), "a function in no section")
	}
	text := m.file.Section(int(shndx))
	if text.Type != cuda.SHTProgbits && text.Type != cuda.SHTCudaUFT {
		return m.fault(cubin.BadIndex, &text, uint64(i), uint64(shndx), "a function in a section that holds no code")
	}
	if old == absent {
		sym := symbol{name: name, info: s.Info, other: s.Other, flags: symDefined, file: m.num, value: s.Value, size: s.Size}
		if s.Binding() == cuda.STBGlobal {
			sym.flags |= symGlobal
		}
		old = l.newFunction(sym)
		if s.Binding() != cuda.STBLocal {
			l.setLookup(name, old)
		}
		m.sym[i] = old
		return l.newText(m, uint32(i), shndx, &text, old)
	}
	m.sym[i] = old
	sym := &l.syms[old]
	if !sym.is(symDefined) {
		sym.info, sym.other, sym.value, sym.size = s.Info, s.Other, s.Value, s.Size
		sym.flags |= symDefined
		sym.file = m.num
		sym.at = l.moment()
		return l.newText(m, uint32(i), shndx, &text, old)
	}
	return l.redefineFunction(m, i, s, shndx, &text, old)
}

// newText makes the code section of a function that has no definition yet,
// and a kernel's sections.
func (l *linker) newText(m *module, index, shndx uint32, text *cubin.Section, sym symID) error {
	fun := l.syms[sym].fun
	if id := m.sec[shndx]; id != absent {
		// A second name of the same code, or of the code that won against it.
		if id == lost {
			id = m.winner[shndx]
		}
		l.syms[sym].sec = id
		l.funs[fun].text = id
		if text.Info&0xffffff == index {
			l.secs[id].fun = fun
		}
		return nil
	}
	id := l.newSection(l.names.id(m.file.SectionName(text)), text.Type, text.Flags, text.Align)
	l.syms[sym].sec = id
	l.funs[fun].from = m.num
	l.secs[id].fun = fun
	l.secs[id].regs = uint8(text.Info >> 24)
	l.funs[fun].text = id
	if l.entry(fun) {
		name := l.names.str(l.syms[sym].name)
		l.funs[fun].info = l.newOwned(id, l.names.id(".nv.info."+name), cuda.SHTCudaInfo, l.infoFlags(), 4)
		l.funs[fun].shared = l.newOwned(id, l.names.id(".nv.shared."+name), cuda.SHTCudaShared,
			l.infoFlags()|cuda.SHFWrite|cuda.SHFAlloc, 1)
	}
	return l.fillText(m, shndx, text, id)
}

// infoFlags is what per-function sections that the link makes itself carry.
func (l *linker) infoFlags() cuda.SectionFlags {
	if l.prof.infoLink {
		return cuda.SHFInfoLink
	}
	return 0
}

func (l *linker) fillText(m *module, shndx uint32, text *cubin.Section, id secID) error {
	if text.Align&(text.Align-1) != 0 {
		return m.fault(cubin.BadHeader, text, text.Off, text.Align, "sh_addralign is not a power of two")
	}
	m.sec[shndx] = id
	_, err := l.appendChunk(m, id, int(shndx), text)
	return err
}

// redefineFunction decides between two definitions of a name: a strong one
// beats a weak one, and of two weak ones the later wins if it needs strictly
// fewer registers, or as many and its PTX was written for a newer SM.
func (l *linker) redefineFunction(m *module, i int, s *cubin.Symbol, shndx uint32, text *cubin.Section, old symID) error {
	sym := &l.syms[old]
	oldWeak, newWeak := sym.binding() == cuda.STBWeak, s.Binding() == cuda.STBWeak
	replace := false
	switch {
	case !oldWeak && !newWeak:
		l.multipleDefinition(m, old)
	case oldWeak && !newWeak:
		replace = true
	case oldWeak && newWeak:
		now, before := l.registersOf(m, uint32(i), text), l.registers(sym.fun)
		replace = now < before || now == before && virtualSM(m.file) > virtualSM(l.files[sym.file])
	}
	if !replace {
		m.lose(i)
		if m.sec[shndx] == absent {
			m.sec[shndx] = lost
			if m.winner == nil {
				m.winner = make(map[uint32]secID)
			}
			m.winner[shndx] = l.funs[sym.fun].text
		}
		return nil
	}
	return l.replaceFunction(m, s, shndx, text, old)
}

// registers returns the register count a weak definition is judged by.
func (l *linker) registers(f funID) uint32 {
	if t := l.funs[f].text; t != absent && l.secs[t].regs != 0 || !l.prof.weakByRecord {
		return uint32(l.secs[t].regs)
	}
	return l.funs[f].regs
}

// registersOf is the same for a definition of a module that is being read: the
// code's register byte, or where that is 0 its REGCOUNT record.
func (l *linker) registersOf(m *module, sym uint32, text *cubin.Section) uint32 {
	if n := text.Info >> 24; n != 0 || !l.prof.weakByRecord {
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
	for i := 1; i < m.file.NumSections(); i++ {
		s := m.file.Section(i)
		if s.Type != cuda.SHTCudaInfo || s.Owner() != 0 {
			continue
		}
		r := m.file.Info(&s)
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
func (l *linker) replaceFunction(m *module, s *cubin.Symbol, shndx uint32, text *cubin.Section, old symID) error {
	sym := &l.syms[old]
	fun := sym.fun
	f := &l.funs[fun]
	out := &l.secs[f.text]
	if !l.prof.loserDebug && len(out.rels) > 0 {
		if l.lostDebug == nil {
			l.lostDebug = make(map[lostDebug]bool)
		}
		l.lostDebug[lostDebug{sym: old, file: f.from}] = true
	}
	sym.info, sym.other, sym.size = s.Info, s.Other, s.Size
	f.from = m.num
	f.replaced++
	f.callees.since, f.edges.since = len(f.callees.list), len(f.edges.list)
	out.flags, out.align, out.size, out.chunks = text.Flags, text.Align, 0, nil
	out.regs = uint8(text.Info >> 24)
	for _, r := range out.rels {
		l.secs[r].relocs = nil
	}
	if f.info != absent {
		l.infoOf(f.info).read = nil
	}
	for _, id := range out.owned {
		if n, ok := cubin.ConstantBank(l.secs[id].typ); ok && n != 0 {
			l.secs[id].size, l.secs[id].chunks = 0, nil
			l.secs[id].deleted, l.secs[id].emptied = true, true
			for _, r := range l.secs[id].rels {
				l.secs[r].relocs = nil
			}
		}
	}
	for k, at := range f.mod {
		if at > 0 {
			l.module[at-1].gone = true
			f.mod[k] = 0
		}
	}
	f.regs, f.frame = 0, 0
	return l.fillText(m, shndx, text, f.text)
}

// lostDebug names the debug relocations a replaced definition leaves behind.
type lostDebug struct {
	sym  symID
	file int32
}
