package engine

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Reading one input takes four passes, and the order of everything in the
// image follows from them: functions; other symbols, a defined object merging
// its whole section when it is met; sections not merged by then; and the
// sections that speak about others, in index order.

// lost marks an input section that belongs to a definition that lost.
const lost secID = -2

// module is an input while it is read.
type module struct {
	file *cubin.File
	tab  *cubin.Symtab
	num  int32

	sym  []symID  // symbol index to symbol
	sec  []secID  // section index to section, absent or lost
	base []uint64 // section index to where its bytes begin in the section

	lostSyms map[uint32]bool  // symbols whose definition here lost
	lostData []dataRange      // bytes of losing objects, by input section
	winner   map[uint32]secID // code section of a losing definition to that of the winner
	regs     map[uint32]uint32

	optimized int // compiler constants so far
}

// lose notes that the definition of a symbol in this module lost.
func (m *module) lose(i int) {
	if m.lostSyms == nil {
		m.lostSyms = make(map[uint32]bool)
	}
	m.lostSyms[uint32(i)] = true
}

// dataRange is a piece of an input section.
type dataRange struct {
	sec      uint32
	from, to uint64
}

func (l *linker) mergeAll() error {
	for i, f := range l.files {
		if err := l.merge(f, int32(i)); err != nil {
			return err
		}
		if l.failed {
			return refuse(MergeFailed, f.Name, "merge_elf failed")
		}
	}
	return nil
}

func (l *linker) merge(f *cubin.File, num int32) error {
	m := &module{file: f, tab: f.Symtab(), num: num}
	n := f.NumSections()
	m.sym = blank(l.scratchSym, m.tab.Len())
	m.sec = blank(l.scratchSec, n)
	if cap(l.scratchBase) < n {
		l.scratchBase = make([]uint64, n)
	}
	m.base = l.scratchBase[:n]
	clear(m.base)
	l.scratchSym, l.scratchSec = m.sym, m.sec

	for _, pass := range []func(*module) error{l.checkAlignments, l.readFunctions, l.readObjects, l.readSections, l.readFacts} {
		if err := pass(m); err != nil {
			return err
		}
	}
	return nil
}

// checkAlignments refuses alignments with which offsets would run over.
func (l *linker) checkAlignments(m *module) error {
	for i := 1; i < len(m.sec); i++ {
		s := m.file.Section(i)
		if !isAlignment(s.Align) {
			return m.fault(cubin.BadHeader, &s, s.Off, s.Align, "sh_addralign is not a power of two, or too large")
		}
	}
	return nil
}

// isAlignment reports whether offsets can be aligned to n; 0 is no alignment.
func isAlignment(n uint64) bool { return n&(n-1) == 0 && n <= maxSection }

// fault is a refusal of an input, with its place.
func (m *module) fault(kind cubin.Kind, sec *cubin.Section, off, value uint64, detail string) error {
	e := &cubin.Error{Kind: kind, File: m.file.Name, Offset: off, Value: value, Detail: detail}
	if sec != nil {
		e.Section = m.file.SectionName(sec)
	}
	return e
}

// readSections merges what no symbol brought in: debug sections, and banks
// whose variables have no symbol.
func (l *linker) readSections(m *module) error {
	for i := 1; i < len(m.sec); i++ {
		if m.sec[i] != absent {
			continue
		}
		s := m.file.Section(i)
		if isTable(s.Type) {
			continue
		}
		switch s.Type {
		case cuda.SHTCudaUFTEntry, cuda.SHTCudaUDTEntry:
			if err := l.readUnified(m, i, &s); err != nil {
				return err
			}
			continue
		}
		if cubin.NoBitsSpace(s.Type) {
			continue // only an object that wins brings it in
		}
		if err := l.mergeSection(m, i, &s); err != nil {
			return err
		}
	}
	return nil
}

// isTable reports whether the image has its own section of a type, so that an
// input's is read and not copied.
func isTable(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote,
		cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaInfo, cuda.SHTCudaCallgraph,
		cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaResolvedRela, cuda.SHTCudaRelocInfo:
		return true
	}
	return false
}

// readFacts reads the sections about others, in index order.
func (l *linker) readFacts(m *module) error {
	for i := 1; i < len(m.sec); i++ {
		s := m.file.Section(i)
		var err error
		switch s.Type {
		case cuda.SHTCudaInfo:
			err = l.readInfo(m, &s)
		case cuda.SHTCudaCallgraph:
			err = l.readCallgraph(m, &s)
		case cuda.SHTCudaPrototype:
			err = l.readPrototypes(m, &s)
		case cuda.SHTRel, cuda.SHTRela:
			err = l.readRelocs(m, i, &s)
		case cuda.SHTCudaCompat:
			err = l.readCompat(m, &s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeSection appends input section i to its section of the image.
func (l *linker) mergeSection(m *module, i int, s *cubin.Section) error {
	if m.sec[i] != absent {
		return nil
	}
	if s.Align&(s.Align-1) != 0 {
		return m.fault(cubin.BadHeader, s, s.Off, s.Align, "sh_addralign is not a power of two")
	}
	id, err := l.sectionFor(m, s)
	if err != nil {
		return err
	}
	m.sec[i] = id
	if id == lost || s.Type == cuda.SHTCudaConstant0 && l.sharesParams(m, id, s) {
		return nil
	}
	base, err := l.appendChunk(m, id, i, s)
	m.base[i] = base
	return err
}

// appendChunk adds the bytes of an input section at the next multiple of its
// alignment and returns where they begin.
func (l *linker) appendChunk(m *module, id secID, i int, s *cubin.Section) (uint64, error) {
	out := &l.secs[id]
	base := alignUp(out.size, s.Align)
	if err := l.spend(m, s, base-out.size); err != nil {
		return 0, err
	}
	if s.Size > maxSection || base > maxSection {
		return 0, m.fault(cubin.OverBudget, s, s.Off, s.Size, "a section of that many bytes")
	}
	out.align = max(out.align, s.Align)
	out.size = base + s.Size
	if s.Size > 0 {
		out.chunks = append(l.chunkLists.room(out.chunks, 1), chunk{off: base, size: s.Size, align: s.Align, data: m.file.Content(s), file: m.num, from: uint32(i)})
	}
	return base, nil
}

// maxSection bounds the size of a section: no memory space of a device is
// larger, and offsets stay far from overflow.
const maxSection = 1 << 40

// sectionFor finds or makes the section that takes an input section's bytes.
func (l *linker) sectionFor(m *module, s *cubin.Section) (secID, error) {
	name := l.names.id(m.file.SectionName(s))
	owner := s.Owner()
	if owner == 0 {
		if id := l.unowned(name); id != absent {
			return id, nil
		}
		id := l.newSection(name, s.Type, s.Flags, s.Align)
		l.setUnowned(name, id)
		return id, nil
	}
	text, err := l.ownerOf(m, s, owner)
	if err != nil {
		return text, err
	}
	if s.Type == cuda.SHTCudaConstant0 {
		return l.paramBankFor(m, s, owner, name), nil
	}
	if text == lost {
		if _, ok := cubin.ConstantBank(s.Type); ok || s.Type == cuda.SHTCudaShared {
			return l.straySection(m, s, owner, name), nil
		}
		return lost, nil
	}
	if id := l.owned(text, name); id != absent {
		l.secs[id].deleted = false
		return id, nil
	}
	return l.newOwned(text, name, s.Type, s.Flags, s.Align), nil
}

// paramBankFor returns the bank that takes a kernel's parameters. A second
// definition adds its bank behind the first's, whether it won or lost; where
// the symbol is weak the first bank serves both.
func (l *linker) paramBankFor(m *module, s *cubin.Section, owner uint32, name nameID) secID {
	text := m.sec[owner]
	if text == lost {
		text = m.winner[owner]
	}
	id := l.owned(text, name)
	if id == absent {
		return l.newParamBank(text, name, s)
	}
	return id
}

// sharesParams reports whether a second definition of a kernel uses the first
// one's parameters.
func (l *linker) sharesParams(m *module, id secID, s *cubin.Section) bool {
	have := &l.secs[id]
	if have.owner == absent || have.size == 0 {
		return false
	}
	f := l.secs[have.owner].fun
	if f == absent || l.syms[l.funs[f].sym].binding() != cuda.STBWeak {
		return false
	}
	if have.size != s.Size {
		l.paramMismatch(m, l.funs[f].sym)
	}
	return true
}

// straySection returns the section that takes the compiler constants or the
// shared variables of a losing definition: the winner's, or one of its own that
// the layout of constants will not know of.
func (l *linker) straySection(m *module, s *cubin.Section, owner uint32, name nameID) secID {
	text := m.winner[owner]
	id := l.owned(text, name)
	if id == absent {
		id = l.newOwned(text, name, s.Type, s.Flags, s.Align)
		l.secs[id].stray = true
	}
	l.secs[id].deleted = false
	return id
}

// ownerOf returns the .text an owned input section belongs to, or lost.
func (l *linker) ownerOf(m *module, s *cubin.Section, owner uint32) (secID, error) {
	if int64(owner) >= int64(len(m.sec)) {
		return absent, m.fault(cubin.BadIndex, s, 0, uint64(owner), "sh_info names no section")
	}
	text := m.sec[owner]
	if text == absent || text != lost && l.secs[text].fun == absent {
		return absent, m.fault(cubin.BadIndex, s, 0, uint64(owner), "sh_info names no function's code")
	}
	return text, nil
}

// newOwned makes a section that belongs to a function.
func (l *linker) newOwned(text secID, name nameID, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) secID {
	if typ == cuda.SHTCudaInfo {
		flags |= l.infoFlags()
	}
	id := l.newSection(name, typ, flags, align)
	l.own(text, id)
	return id
}

func (l *linker) own(text, id secID) {
	l.secs[id].owner = text
	if l.secs[text].owned == nil {
		l.secs[text].owned = l.sectionLists.list(4)
	}
	l.secs[text].owned = append(l.secs[text].owned, id)
}

// newParamBank makes .nv.constant0.<k> and, between the section and its
// symbol, an empty relocation section for the header indices that layout may
// put there.
func (l *linker) newParamBank(text secID, name nameID, s *cubin.Section) secID {
	id := l.newBareSection(name, s.Type, s.Flags, s.Align)
	l.own(text, id)
	if !l.isRelocatable() {
		l.newParamRelocs(id, l.names.str(name))
	}
	l.newSectionSymbol(id)
	return id
}

// newParamRelocs makes the relocation section of a parameter bank. It is the
// only one without SHF_INFO_LINK, save 13.0's --force-rela.
func (l *linker) newParamRelocs(bank secID, name string) {
	switch {
	case l.opt.ForceRela && l.prof.paramRelaLink:
		l.newRelocSection(l.names.id(".rela"+name), cuda.SHTRela, l.infoFlags(), bank)
	case l.opt.ForceRela:
		l.newRelocSection(l.names.id(".rela"+name), cuda.SHTRela, 0, bank)
	default:
		l.newRelocSection(l.names.id(".rel"+name), cuda.SHTRel, 0, bank)
	}
}

// newRelocSection makes an empty relocation section.
func (l *linker) newRelocSection(name nameID, typ cuda.SectionType, flags cuda.SectionFlags, target secID) secID {
	id := l.newSection(name, typ, flags, 8)
	l.secs[id].target = target
	if l.secs[target].rels == nil {
		l.secs[target].rels = l.sectionLists.list(2)
	}
	l.secs[target].rels = append(l.secs[target].rels, id)
	return id
}

// blank returns n elements that are absent, reusing s where it is long enough.
func blank[T ~int32](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = absent
	}
	return s
}
