package merge

import (
	"cmp"
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
		cuinfo := ".note.nv.cuinfo"
		if l.Release.FirstNotes {
			cuinfo = ".note.nv.cuver"
		}
		l.Cuinfo = l.Role(cuinfo, cuda.SHTNote, cuda.SHFCuinfo, 4)
		l.WillMake(l.Tkinfo, l.Cuinfo)
		l.Secs[l.Tkinfo].Mute, l.Secs[l.Cuinfo].Mute = l.Release.FirstNotes, l.Release.FirstNotes
	}
	l.Info = l.Role(".nv.info", cuda.SHTCudaInfo, 0, 4)
	if l.Release.Notes && l.Arch.SM >= 90 && !l.Release.FirstNotes {
		l.makeCompat()
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
	localsFirst []uint32               // by number once local symbols are in front: the number; made when first asked for
	toldMisread []cuda.InfoAttr        // see misread
	lostData    []dataRange            // bytes of losing objects, by input section
	dataEnds    map[uint32]uint64      // by section: where its last symbol of data ends; see named
	winner      map[uint32]model.SecID // code section of a losing definition to that of the winner
	replaced    map[model.SymID]bool   // variables whose weak definition one of this module replaces
	twice       map[uint32]bool        // code sections of second strong definitions, an error
	regs        map[uint32]uint32

	clash     error // the refusal of a function that is a variable elsewhere; see clashWithObject
	compat    int   // number of .nv.compat once that is read
	optimized int   // compiler constants so far
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
	l.placeReserved()
	if l.Opt.ToolsPatch {
		l.Unpatched = l.checkPatches()
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

	for _, pass := range []func(*module) error{l.checkAlignments, l.warnOfWhole, l.readFunctions, l.readObjects, l.refuseClash, l.losePointers, l.readSections, l.readAbout} {
		if err := pass(m); err != nil {
			return cmp.Or(m.clash, err)
		}
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

// readAbout reads the sections about others, in index order.
func (l *merger) readAbout(m *module) error {
	for i := 1; i < len(m.sec); i++ {
		s := &m.heads[i]
		var err error
		switch s.Type {
		case cuda.SHTCudaInfo:
			if l.comesBehindCompat(m, i) {
				l.placeCompat()
			}
			err = l.readAttributes(m, s)
		case cuda.SHTCudaCallgraph:
			err = l.readCallgraph(m, s)
		case cuda.SHTCudaPrototype:
			err = l.readPrototypes(m, s)
		case cuda.SHTRel, cuda.SHTRela:
			l.placeCompat()
			err = l.readRelocs(m, s)
		case cuda.SHTCudaCompat:
			m.compat = i
			err = l.readCompat(m, s)
		case cuda.SHTNote:
			err = l.copyNote(m, i, s)
		case cuda.SHTCudaShared:
			err = l.mergeShared(m, i, s)
		}
		if err != nil {
			return err
		}
	}
	l.placeCompat()
	return nil
}
