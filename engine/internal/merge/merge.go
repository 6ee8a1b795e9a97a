package merge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/release"
	"github.com/twinlink/twinlink/engine/internal/room"
)

// Reading one input takes four passes, and the order of everything in the
// image follows from them: functions; other symbols, a defined object merging
// its whole section when it is met; sections not merged by then; and the
// sections that speak about others, in index order.

// beyondInputs is how many sections and symbols a link has of its own.
const beyondInputs = 64

// begin makes the sections every link begins with.
func (l *merger) begin() {
	c := takeCensus(l.Files)
	count := c.sections + c.besides + c.symbols
	l.Names = names.New(count, &l.Room)
	if l.Release.EarlyStrings {
		l.Str, l.Shstr = names.NewStrtab(l.Names, count), names.NewStrtab(l.Names, count)
	}
	l.SecOf, l.SymOf = room.Make[model.SecID](&l.Room, count+beyondInputs), room.Make[model.SymID](&l.Room, count+beyondInputs)
	l.relocsToCome = c.relocs
	l.relocLists = model.ArenaOf(room.Make[model.Reloc](&l.Room, c.relocs))
	l.mixesRelocs = c.rels > 0
	l.keepsMore = l.Opt.PreserveRelocs || l.Dialect != &release.SASS
	l.More = make([]model.RelocMore, 1, 2)
	if l.keepsMore {
		l.More = room.Make[model.RelocMore](&l.Room, c.relocs+1)[:1]
	}
	l.Secs = room.Make[model.Section](&l.Room, c.sections+beyondInputs)[:0]
	l.Parts = make([]model.Parts, 0, c.sections+beyondInputs)
	l.Syms = room.Make[model.Symbol](&l.Room, c.symbols+c.sections+beyondInputs)[:0] // each section gets one too
	l.Funs = make([]model.Function, 0, c.functions+beyondInputs)
	l.ModuleAttributes = make([]model.Attribute, 0, c.records)
	if l.Release.TakesNewer && slices.ContainsFunc(l.Files, func(f *cubin.File) bool { return f.Header.New() }) {
		l.ModuleAttributes = append(l.ModuleAttributes, model.Attribute{Format: cuda.FormatNone, Attr: cuda.AttrHasPreV10Object, Sym: model.Absent})
	}
	l.Tkinfo, l.Cuinfo, l.Compatsec, l.Relaction = model.Absent, model.Absent, model.Absent, model.Absent
	l.Shstrtab = l.Role(".shstrtab", cuda.SHTStrtab, 0, 1)
	l.Strtab = l.Role(".strtab", cuda.SHTStrtab, 0, 1)
	l.Symtab = l.Role(".symtab", cuda.SHTSymtab, 0, 8)
	l.WillMake(l.Shstrtab, l.Strtab, l.Symtab)
	l.Shndx = l.Role(".symtab_shndx", cuda.SHTSymtabShndx, 0, 4)
	if l.Release.EntrySection {
		l.NewSection(l.Names.ID(".nv.uft.entry"), cuda.SHTCudaUFTEntry, 0, 1)
	}
	if l.Release.Notes {
		l.Tkinfo = l.Role(".note.nv.tkinfo", cuda.SHTNote, cuda.SHFTkinfo, 4)
		l.Cuinfo = l.Role(".note.nv.cuinfo", cuda.SHTNote, cuda.SHFCuinfo, 4)
		l.WillMake(l.Tkinfo, l.Cuinfo)
	}
	l.Info = l.Role(".nv.info", cuda.SHTCudaInfo, 0, 4)
	if l.Release.Notes && l.Arch.SM >= 90 {
		l.Compatsec = l.Role(".nv.compat", cuda.SHTCudaCompat, 0, 4)
		l.WillMake(l.Compatsec)
	}
	if n := uint64(len(l.Opt.Host)); n > 0 {
		id := l.Role(".nv.host", cuda.SHTCudaHost, 0, 8)
		l.Secs[id].Size = n
		l.Parts[id].Chunks = []model.Chunk{{Size: n, Align: 8, Data: l.Opt.Host, File: model.Absent}}
	}
}

// lost marks an input section that belongs to a definition that lost.
const lost model.SecID = -2

// module is an input while it is read.
type module struct {
	file *cubin.File
	tab  *cubin.Symtab
	num  int32

	heads []cubin.Section // its section headers
	syms  []cubin.Symbol  // its symbols

	sym  []model.SymID // symbol index to symbol
	sec  []model.SecID // section index to section, absent or lost
	base []uint64      // section index to where its bytes begin in the section

	lostSyms    map[uint32]bool        // symbols whose definition here lost
	localsFirst []uint32               // by number once local symbols stand in front: the number; made when first asked for
	toldMisread bool                   // see misread
	lostData    []dataRange            // bytes of losing objects, by input section
	dataEnds    map[uint32]uint64      // by section: where its last symbol of data ends; see named
	winner      map[uint32]model.SecID // code section of a losing definition to that of the winner
	replaced    map[model.SymID]bool   // variables whose weak definition one of this module replaces
	twice       map[uint32]bool        // code sections of second strong definitions, an error
	regs        map[uint32]uint32

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

func (l *merger) mergeAll() error {
	for i, f := range l.Files {
		if l.WholeProgram && f.Header.Type != cuda.ETEwp && !strings.Contains(f.Name, "libcudadevrt") {
			l.warn(diag.Diagnostic{Kind: diag.WrongToolkit, File: f.Name,
				Text: fmt.Sprintf("'%s': -ewp compiled objects should only link with libcudadevrt", f.Name)})
		}
		if err := l.merge(f, int32(i)); err != nil {
			return err
		}
		if l.Failed {
			return diag.Refuse(diag.MergeFailed, f.Name, "merge_elf failed")
		}
	}
	return nil
}

// warn says a warning of nvlink's about an input.
func (l *merger) warn(d diag.Diagnostic) {
	d.Severity = diag.Warning
	if l.Opt.WarningsAsErrors {
		d.Severity = diag.Error
	}
	l.Say(d)
}

func (l *merger) merge(f *cubin.File, num int32) error {
	m := &module{file: f, tab: f.Symtab(), num: num}
	before := &l.scratch
	m.heads, m.syms = f.AppendSections(before.heads[:0]), m.tab.Append(before.syms[:0])
	m.sym = model.Blank(before.sym, len(m.syms))
	m.sec = model.Blank(before.sec, len(m.heads))
	m.base = append(before.base[:0], make([]uint64, len(m.heads))...)
	defer func() { l.scratch = *m }()

	for _, pass := range []func(*module) error{l.checkAlignments, l.readFunctions, l.readObjects, l.losePointers, l.readSections, l.readAbout} {
		if err := pass(m); err != nil {
			return err
		}
	}
	if l.Opt.ToolsPatch {
		return l.checkPatches(m)
	}
	return nil
}

// checkAlignments refuses alignments with which offsets would run over.
func (l *merger) checkAlignments(m *module) error {
	for i := 1; i < len(m.heads); i++ {
		if s := &m.heads[i]; !model.IsAlignment(s.Align) {
			return m.fault(cubin.BadHeader, s, s.Off, s.Align, "sh_addralign is not a power of two, or too large")
		}
	}
	return nil
}

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
func (l *merger) readSections(m *module) error {
	for i := 1; i < len(m.sec); i++ {
		if m.sec[i] != model.Absent {
			continue
		}
		s := &m.heads[i]
		if isTable(s.Type) {
			continue
		}
		switch s.Type {
		case cuda.SHTCudaUFTEntry, cuda.SHTCudaUDTEntry:
			if err := l.readUnified(m, i, s); err != nil {
				return err
			}
			continue
		}
		if cubin.NoBitsSpace(s.Type) {
			continue // only an object that wins brings it in, but for bare shared memory
		}
		if err := l.mergeSection(m, i, s); err != nil {
			return err
		}
	}
	return nil
}

// keepsBare reports whether a section of a kernel's shared memory is merged for what it
// holds without a symbol.
func (l *merger) keepsBare(s *cubin.Section) bool {
	return l.Release.KeepsBareShared && !l.ShowsDebug() && s.Type == cuda.SHTCudaShared && s.Owner() != 0 && s.Size > 0
}

// isTable reports whether the image has its own section of a type, so that an
// input's is read and not copied.
func isTable(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote,
		cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaInfo, cuda.SHTCudaCallgraph,
		cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaHost, cuda.SHTCudaResolvedRela, cuda.SHTCudaRelocInfo:
		return true
	}
	return false
}

// readAbout reads the sections about others, in index order.
func (l *merger) readAbout(m *module) error {
	for i := 1; i < len(m.sec); i++ {
		s := &m.heads[i]
		var err error
		switch s.Type {
		case cuda.SHTCudaInfo:
			err = l.readAttributes(m, s)
		case cuda.SHTCudaCallgraph:
			err = l.readCallgraph(m, s)
		case cuda.SHTCudaPrototype:
			err = l.readPrototypes(m, s)
		case cuda.SHTRel, cuda.SHTRela:
			err = l.readRelocs(m, s)
		case cuda.SHTCudaCompat:
			err = l.readCompat(m, s)
		case cuda.SHTNote:
			err = l.copyNote(m, i, s)
		case cuda.SHTCudaShared:
			if l.keepsBare(s) {
				err = l.mergeSection(m, i, s)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeSection appends input section i to its section of the image.
func (l *merger) mergeSection(m *module, i int, s *cubin.Section) error {
	if m.sec[i] != model.Absent {
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
	if s.Type == cuda.SHTCudaConstant0+2 && s.Owner() != 0 && m.sec[s.Owner()] != lost {
		if end := m.dataEnd(i); end == 0 && s.Size > 0 && len(l.Parts[id].Chunks) == 0 {
			l.Secs[id].Stray = true // the table of a definition that lost, as an earlier link left it
		} else if end != 0 && end < s.Size {
			s = shortened(s, end)
		}
	}
	base, err := l.appendChunk(m, id, i, s)
	m.base[i] = base
	return err
}

// dataEnd is where the last symbol of data in a section of compiler constants ends. A jump table that an
// earlier link left of a definition that lost has no symbol; behind those of the one that stands it goes.
func (m *module) dataEnd(i int) uint64 {
	if m.dataEnds == nil {
		m.dataEnds = make(map[uint32]uint64)
		for k := range m.syms {
			if sym := &m.syms[k]; sym.Type() == cuda.STTCudaObject && sym.Value+sym.Size >= sym.Size {
				at := m.tab.Shndx(k, sym)
				m.dataEnds[at] = max(m.dataEnds[at], sym.Value+sym.Size)
			}
		}
	}
	return m.dataEnds[uint32(i)]
}

// shortened returns a section with fewer bytes.
func shortened(s *cubin.Section, size uint64) *cubin.Section {
	short := *s
	short.Size = size
	return &short
}

// copyNote appends a note to those of its name, where the release knows them for nothing else.
func (l *merger) copyNote(m *module, i int, s *cubin.Section) error {
	if !l.Release.NotesAreData {
		return nil
	}
	name := l.Names.ID(m.file.SectionName(s))
	id := l.Unowned(name)
	if id == model.Absent {
		id = l.NewSection(name, s.Type, s.Flags, s.Align)
		l.SetUnowned(name, id)
		l.Secs[id].Mute = true
	}
	_, err := l.appendChunk(m, id, i, s)
	return err
}

// appendChunk adds the bytes of an input section at the next multiple of its
// alignment and returns where they begin.
func (l *merger) appendChunk(m *module, id model.SecID, i int, s *cubin.Section) (uint64, error) {
	out := &l.Secs[id]
	base := model.AlignUp(out.Size, s.Align)
	if err := l.spend(m, s, base-out.Size); err != nil {
		return 0, err
	}
	if s.Size > model.MaxSection || base > model.MaxSection {
		return 0, m.fault(cubin.OverBudget, s, s.Off, s.Size, "a section of that many bytes")
	}
	out.Align = max(out.Align, s.Align)
	out.Size = base + s.Size
	if s.Size > 0 {
		parts := &l.Parts[id]
		parts.Chunks = append(l.chunkLists.Room(parts.Chunks, 1), model.Chunk{Off: base, Size: s.Size, Align: s.Align, Data: m.file.Content(s), File: m.num, From: uint32(i)})
	}
	return base, nil
}

// sectionFor finds or makes the section that takes an input section's bytes.
func (l *merger) sectionFor(m *module, s *cubin.Section) (model.SecID, error) {
	name := l.Names.ID(m.file.SectionName(s))
	owner := s.Owner()
	if owner == 0 {
		if id := l.Unowned(name); id != model.Absent {
			return id, nil
		}
		id := l.NewSection(name, s.Type, s.Flags, s.Align)
		l.SetUnowned(name, id)
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
			id := l.straySection(m, s, owner, name)
			if m.twice[owner] && l.overlaps(m, s, id) {
				return lost, diag.Refuse(diag.Internal, m.file.Name, "Internal error: overlapping non-identical data")
			}
			return id, nil
		}
		return lost, nil
	}
	if id := l.Owned(text, name); id != model.Absent {
		if out := &l.Secs[id]; out.Stray { // that of a definition that lost stood here
			out.Stray, out.Align = false, s.Align
		}
		l.Fill(id)
		return id, nil
	}
	if s.Type == cuda.SHTCudaShared {
		return l.sharedSection(s, text, name), nil
	}
	return l.NewOwned(text, name, s.Type, s.Flags, s.Align), nil
}

// sharedSection returns the section for shared variables that a kernel has not got yet: another's of that
// name, or one of a kernel that a filter hides.
func (l *merger) sharedSection(s *cubin.Section, text model.SecID, name names.ID) model.SecID {
	id := l.SharedNamed(name)
	if id == model.Absent {
		id = l.NewOwned(text, name, s.Type, s.Flags|l.InfoFlags(), s.Align) // releases before 12.x have no such flag
		l.SetUnowned(name, id)
	}
	l.Funs[l.Secs[text].Fun].Shared = id
	return id
}

// paramBankFor returns the bank that takes a kernel's parameters. A second
// definition adds its bank behind the first's, whether it won or lost; where
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

// straySection returns the section that takes the compiler constants or the
// shared variables of a losing definition: the winner's, or one of its own that
// the layout of constants will not know of.
func (l *merger) straySection(m *module, s *cubin.Section, owner uint32, name names.ID) model.SecID {
	text := m.winner[owner]
	id := l.Owned(text, name)
	if id == model.Absent {
		id = l.NewOwned(text, name, s.Type, s.Flags, s.Align)
		l.Secs[id].Stray = true
	}
	l.Secs[id].Deleted = false
	return id
}

// overlaps reports whether a bank has other bytes than what it comes to lie over, as far as both
// go: a second strong definition's lies over the first's (nvlink 11.8.89 to 13.5.37).
func (l *merger) overlaps(m *module, s *cubin.Section, id model.SecID) bool {
	chunks := l.Parts[id].Chunks
	if len(chunks) == 0 {
		return false
	}
	first, second := chunks[len(chunks)-1].Data, m.file.Content(s)
	n := min(len(first), len(second))
	return !bytes.Equal(first[:n], second[:n])
}

// ownerOf returns the .text an owned input section belongs to, or lost.
func (l *merger) ownerOf(m *module, s *cubin.Section, owner uint32) (model.SecID, error) {
	if int64(owner) >= int64(len(m.sec)) {
		return model.Absent, m.fault(cubin.BadIndex, s, 0, uint64(owner), "sh_info names no section")
	}
	text := m.sec[owner]
	if text == model.Absent || text != lost && l.Secs[text].Fun == model.Absent {
		return model.Absent, m.fault(cubin.BadIndex, s, 0, uint64(owner), "sh_info names no function's code")
	}
	return text, nil
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

// spend takes n bytes or steps from the link's budget.
func (l *merger) spend(m *module, s *cubin.Section, n uint64) error {
	if n > uint64(max(l.Budget, 0)) {
		return m.fault(cubin.OverBudget, s, 0, n, "the input asks for more than 64 MB and eight times its size")
	}
	l.Budget -= int64(n)
	return nil
}
