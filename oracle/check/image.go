package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// A device ELF file as tables.
//
// The reader knows 64-bit little-endian files and nothing of what sections
// mean. It takes counts from the file only where the table they count lies
// inside it, and every table entry is paid for from the budget, so a file that
// claims more than it holds ends in a refusal. Section bodies are parts of the
// file and not copies.
//
// Three escapes of the ELF standard occur in large links: e_shnum 0 with the
// count in sh_size of section 0, e_shstrndx 0xffff with the index in its sh_link,
// and st_shndx 0xffff with the index in a table beside the symbols (SYMTAB_SHNDX).
//
// Source: the ELF gABI; the special section types from cubins of ptxas 11.8 to
// 13.0, see package cuda.

type image struct {
	name     string // as findings tell it
	data     []byte
	header   header
	sections []section
	segments []segment
	symbols  []symbol
	symtab   int // section index of the symbol table, 0 where there is none

	side side      // that sections and symbols show
	all  []section // those of the file

	capsuleOf   map[int]*section // by section of the SASS
	mercuryInfo map[int]int      // section of attributes by capsule
}

type header struct {
	class, order, ident, osabi, abi byte
	kind, machine                   uint64
	version                         uint64
	entry, phoff, shoff             uint64
	flags                           uint32
	ehsize, phentsize, phnum        uint64
	shentsize, shnum, shstrndx      uint64
}

type section struct {
	index        int
	name         string
	kind         cuda.SectionType
	flags        cuda.SectionFlags
	addr         uint64
	offset, size uint64
	link, info   uint32
	align, entry uint64
	body         []byte // nil where the section has no bits
	hidden       bool   // belongs to the other side
}

type segment struct {
	kind, flags                       uint32
	offset, vaddr, paddr, filesz, mem uint64
	align                             uint64
}

type symbol struct {
	index       int
	name        string
	info, other byte
	shndx       int // section index, or one of the reserved numbers below 0x10000
	special     bool
	value, size uint64
}

func (s *symbol) kind() cuda.SymbolType { return cuda.SymbolType(s.info % 16) }
func (s *symbol) bind() cuda.Binding    { return cuda.Binding(s.info / 16) }
func (s *symbol) defined() bool         { return s.shndx != cuda.SHNUndef }
func (s *symbol) common() bool          { return s.special && s.shndx == cuda.SHNCommon }

// noBits reports whether a section of this type has no bytes in the file.
func noBits(kind cuda.SectionType) bool {
	switch kind {
	case cuda.SHTNobits, cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared, cuda.SHTCudaSharedReserved:
		return true
	}
	return false
}

// readImage reads a file's tables. The error is a *Refusal. Where the file was read for its
// other side, that view has its sections already.
func readImage(name string, data []byte, of side, other *image, b *budget) (*image, error) {
	if other != nil && other.side != whole {
		f := &image{name: name, data: data, header: other.header, sections: slices.Clone(other.all), segments: other.segments, all: other.all}
		f.view(of)
		return f, f.readSymbols(b)
	}
	f := &image{name: name, data: data}
	refuse := func(kind RefusalKind, at, value uint64) error {
		return &Refusal{Kind: kind, File: name, Offset: at, Value: value}
	}
	if len(data) < 64 || word(data, 0) != 0x464c457f {
		return nil, refuse(NotELF, 0, uint64(word(data, 0)))
	}
	h := &f.header
	h.class, h.order, h.ident, h.osabi, h.abi = data[4], data[5], data[6], data[7], data[8]
	if h.class != 2 || h.order != 1 {
		return nil, refuse(WrongClass, 4, number(data, 4, 2))
	}
	h.kind, h.machine, h.version = number(data, 16, 2), number(data, 18, 2), number(data, 20, 4)
	h.entry, h.phoff, h.shoff = number(data, 24, 8), number(data, 32, 8), number(data, 40, 8)
	h.flags, h.ehsize = word(data, 48), number(data, 52, 2)
	h.phentsize, h.phnum = number(data, 54, 2), number(data, 56, 2)
	h.shentsize, h.shnum, h.shstrndx = number(data, 58, 2), number(data, 60, 2), number(data, 62, 2)
	if h.machine != cuda.EMCuda {
		return nil, refuse(NotDevice, 18, h.machine)
	}
	if h.shoff != 0 && h.shentsize != 64 {
		return nil, refuse(BadTable, 58, h.shentsize)
	}
	if err := f.readSections(refuse, b); err != nil {
		return nil, err
	}
	if err := f.readSegments(refuse, b); err != nil {
		return nil, err
	}
	if !twoSided(f.sections) {
		of = whole
	}
	f.view(of)
	return f, f.readSymbols(b)
}

func (f *image) readSections(refuse func(RefusalKind, uint64, uint64) error, b *budget) error {
	h := &f.header
	if h.shoff == 0 {
		return nil
	}
	count := h.shnum
	if count == 0 {
		count = number(f.data, h.shoff+32, 8)
	}
	if count > uint64(len(f.data))/64 {
		return refuse(BadTable, 60, count)
	}
	table, ok := cut(f.data, h.shoff, 64*count)
	if !ok {
		return refuse(BadTable, 40, h.shoff)
	}
	if err := b.spend(f.name, count); err != nil {
		return err
	}
	f.sections = make([]section, count)
	for i := range f.sections {
		at := 64 * uint64(i)
		s := section{
			index: i,
			kind:  cuda.SectionType(word(table, at+4)), flags: cuda.SectionFlags(number(table, at+8, 8)),
			addr: number(table, at+16, 8), offset: number(table, at+24, 8), size: number(table, at+32, 8),
			link: word(table, at+40), info: word(table, at+44),
			align: number(table, at+48, 8), entry: number(table, at+56, 8),
		}
		if i > 0 && s.kind != cuda.SHTNull && !noBits(s.kind) {
			if s.body, ok = cut(f.data, s.offset, s.size); !ok {
				return &Refusal{Kind: BadSection, File: f.name, Section: f.nameOf(i), Offset: s.offset, Value: s.size}
			}
		}
		f.sections[i] = s
	}
	if h.shstrndx == 0xffff && count > 0 {
		h.shstrndx = uint64(f.sections[0].link)
	}
	// Names are short in fact; a table whose every section names the same
	// long string is paid for by its length.
	for i := range f.sections {
		f.sections[i].name = f.nameOf(i)
		if err := b.spend(f.name, uint64(len(f.sections[i].name))/16); err != nil {
			return err
		}
	}
	return nil
}

func (f *image) nameOf(i int) string {
	at := number(f.data, f.header.shoff+64*uint64(i), 4)
	if f.header.shstrndx >= uint64(len(f.sections)) {
		return ""
	}
	name, _ := text(f.sections[f.header.shstrndx].body, at)
	return name
}

func (f *image) readSegments(refuse func(RefusalKind, uint64, uint64) error, b *budget) error {
	h := &f.header
	if h.phnum == 0 {
		return nil
	}
	table, ok := cut(f.data, h.phoff, 56*h.phnum)
	if !ok || h.phentsize != 56 {
		return refuse(BadTable, 32, h.phoff)
	}
	if err := b.spend(f.name, h.phnum); err != nil {
		return err
	}
	for at := uint64(0); at < uint64(len(table)); at += 56 {
		f.segments = append(f.segments, segment{
			kind: word(table, at), flags: word(table, at+4), offset: number(table, at+8, 8),
			vaddr: number(table, at+16, 8), paddr: number(table, at+24, 8),
			filesz: number(table, at+32, 8), mem: number(table, at+40, 8), align: number(table, at+48, 8),
		})
	}
	return nil
}

func (f *image) readSymbols(b *budget) error {
	for i := range f.sections {
		if f.sections[i].kind == cuda.SHTSymtab && f.symtab == 0 {
			f.symtab = i
		}
	}
	if f.symtab == 0 {
		return nil
	}
	symbols, err := f.symbolTable(&f.sections[f.symtab], b)
	f.symbols = symbols
	return err
}

// symbolTable reads the entries of a symbol table.
func (f *image) symbolTable(table *section, b *budget) ([]symbol, error) {
	if table.size%24 != 0 || uint64(table.link) >= uint64(len(f.sections)) {
		return nil, &Refusal{Kind: BadSymbols, File: f.name, Section: table.name, Offset: table.offset, Value: table.size}
	}
	names := f.sections[table.link].body
	var wide []byte
	for i := range f.sections {
		if f.sections[i].kind == cuda.SHTSymtabShndx && f.sections[i].link == uint32(table.index) {
			wide = f.sections[i].body
		}
	}
	count := table.size / 24
	if err := b.spend(f.name, count); err != nil {
		return nil, err
	}
	symbols := make([]symbol, 0, count)
	for i := range count {
		at := 24 * i
		s := symbol{
			index: int(i),
			info:  byte(number(table.body, at+4, 1)), other: byte(number(table.body, at+5, 1)),
			shndx: int(number(table.body, at+6, 2)),
			value: number(table.body, at+8, 8), size: number(table.body, at+16, 8),
		}
		// 0xff00 itself is written as an index by nvlink 13.0.
		switch {
		case s.shndx == cuda.SHNXindex:
			s.shndx = int(word(wide, 4*i))
		case s.shndx > cuda.SHNLoReserve || s.shndx == cuda.SHNLoReserve && len(f.sections) <= s.shndx:
			s.special = true
		}
		if !s.special && s.shndx >= len(f.sections) {
			return nil, &Refusal{Kind: BadSymbols, File: f.name, Section: table.name, Offset: at, Value: uint64(s.shndx)}
		}
		name, ok := text(names, number(table.body, at, 4))
		if !ok && word(table.body, at) != 0 {
			return nil, &Refusal{Kind: BadSymbols, File: f.name, Section: table.name, Offset: at, Value: number(table.body, at, 4)}
		}
		if err := b.spend(f.name, uint64(len(name))/16); err != nil {
			return nil, err
		}
		s.name = name
		symbols = append(symbols, s)
	}
	return symbols, nil
}
