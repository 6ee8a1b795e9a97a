package image

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/verdict"
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

type Image struct {
	Name     string // as findings tell it
	Data     []byte
	Header   header
	Sections []Section
	Segments []Segment
	Symbols  []Symbol
	Symtab   int // section index of the symbol table, 0 where there is none

	Side Side      // that sections and symbols show
	All  []Section // those of the file

	capsuleOf   map[int]*Section // by section of the SASS
	mercuryInfo map[int]int      // section of attributes by capsule
}

type header struct {
	class, order, Ident, Osabi, Abi byte
	Kind, machine                   uint64
	Version                         uint64
	Entry, Phoff, Shoff             uint64
	Flags                           uint32
	Ehsize, Phentsize, Phnum        uint64
	Shentsize, Shnum, Shstrndx      uint64
}

type Section struct {
	Index        int
	Name         string
	Kind         cuda.SectionType
	Flags        cuda.SectionFlags
	Addr         uint64
	Offset, Size uint64
	Link, Info   uint32
	Align, Entry uint64
	Body         []byte // nil where the section has no bits
	Hidden       bool   // belongs to the other side
}

type Segment struct {
	Kind, Flags                       uint32
	Offset, Vaddr, Paddr, Filesz, Mem uint64
	Align                             uint64
}

type Symbol struct {
	Index       int
	Name        string
	Info, Other byte
	Shndx       int // section index, or one of the reserved numbers below 0x10000
	Special     bool
	Value, Size uint64
}

func (s *Symbol) Kind() cuda.SymbolType { return cuda.SymbolType(s.Info % 16) }
func (s *Symbol) Bind() cuda.Binding    { return cuda.Binding(s.Info / 16) }
func (s *Symbol) Defined() bool         { return s.Shndx != cuda.SHNUndef }
func (s *Symbol) Common() bool          { return s.Special && s.Shndx == cuda.SHNCommon }

// NoBits reports whether a section of this type has no bytes in the file.
func NoBits(kind cuda.SectionType) bool {
	switch kind {
	case cuda.SHTNobits, cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared, cuda.SHTCudaSharedReserved:
		return true
	}
	return false
}

// ReadImage reads a file's tables. The error is a *Refusal. Where the file was read for its
// other side, that view has its sections already.
func ReadImage(name string, data []byte, of Side, other *Image, b *Budget) (*Image, error) {
	if other != nil && other.Side != Whole {
		f := &Image{Name: name, Data: data, Header: other.Header, Sections: slices.Clone(other.All), Segments: other.Segments, All: other.All}
		f.view(of)
		return f, f.readSymbols(b)
	}
	f := &Image{Name: name, Data: data}
	refuse := func(kind verdict.RefusalKind, at, value uint64) error {
		return &verdict.Refusal{Kind: kind, File: name, Offset: at, Value: value}
	}
	if len(data) < 64 || Word(data, 0) != 0x464c457f {
		return nil, refuse(verdict.NotELF, 0, uint64(Word(data, 0)))
	}
	h := &f.Header
	h.class, h.order, h.Ident, h.Osabi, h.Abi = data[4], data[5], data[6], data[7], data[8]
	if h.class != 2 || h.order != 1 {
		return nil, refuse(verdict.WrongClass, 4, Number(data, 4, 2))
	}
	h.Kind, h.machine, h.Version = Number(data, 16, 2), Number(data, 18, 2), Number(data, 20, 4)
	h.Entry, h.Phoff, h.Shoff = Number(data, 24, 8), Number(data, 32, 8), Number(data, 40, 8)
	h.Flags, h.Ehsize = Word(data, 48), Number(data, 52, 2)
	h.Phentsize, h.Phnum = Number(data, 54, 2), Number(data, 56, 2)
	h.Shentsize, h.Shnum, h.Shstrndx = Number(data, 58, 2), Number(data, 60, 2), Number(data, 62, 2)
	if h.machine != cuda.EMCuda {
		return nil, refuse(verdict.NotDevice, 18, h.machine)
	}
	if h.Shoff != 0 && h.Shentsize != 64 {
		return nil, refuse(verdict.BadTable, 58, h.Shentsize)
	}
	if err := f.readSections(refuse, b); err != nil {
		return nil, err
	}
	if err := f.readSegments(refuse, b); err != nil {
		return nil, err
	}
	if !twoSided(f.Sections) {
		of = Whole
	}
	f.view(of)
	return f, f.readSymbols(b)
}

func (f *Image) readSections(refuse func(verdict.RefusalKind, uint64, uint64) error, b *Budget) error {
	h := &f.Header
	if h.Shoff == 0 {
		return nil
	}
	count := h.Shnum
	if count == 0 {
		count = Number(f.Data, h.Shoff+32, 8)
	}
	if count > uint64(len(f.Data))/64 {
		return refuse(verdict.BadTable, 60, count)
	}
	table, ok := Cut(f.Data, h.Shoff, 64*count)
	if !ok {
		return refuse(verdict.BadTable, 40, h.Shoff)
	}
	if err := b.Spend(f.Name, count); err != nil {
		return err
	}
	f.Sections = make([]Section, count)
	for i := range f.Sections {
		at := 64 * uint64(i)
		s := Section{
			Index: i,
			Kind:  cuda.SectionType(Word(table, at+4)), Flags: cuda.SectionFlags(Number(table, at+8, 8)),
			Addr: Number(table, at+16, 8), Offset: Number(table, at+24, 8), Size: Number(table, at+32, 8),
			Link: Word(table, at+40), Info: Word(table, at+44),
			Align: Number(table, at+48, 8), Entry: Number(table, at+56, 8),
		}
		if i > 0 && s.Kind != cuda.SHTNull && !NoBits(s.Kind) {
			if s.Body, ok = Cut(f.Data, s.Offset, s.Size); !ok {
				return &verdict.Refusal{Kind: verdict.BadSection, File: f.Name, Section: f.nameOf(i), Offset: s.Offset, Value: s.Size}
			}
		}
		f.Sections[i] = s
	}
	if h.Shstrndx == 0xffff && count > 0 {
		h.Shstrndx = uint64(f.Sections[0].Link)
	}
	// Names are short in fact; a table whose every section names the same
	// long string is paid for by its length.
	for i := range f.Sections {
		f.Sections[i].Name = f.nameOf(i)
		if err := b.Spend(f.Name, uint64(len(f.Sections[i].Name))/16); err != nil {
			return err
		}
	}
	return nil
}

func (f *Image) nameOf(i int) string {
	at := Number(f.Data, f.Header.Shoff+64*uint64(i), 4)
	if f.Header.Shstrndx >= uint64(len(f.Sections)) {
		return ""
	}
	name, _ := Text(f.Sections[f.Header.Shstrndx].Body, at)
	return name
}

func (f *Image) readSegments(refuse func(verdict.RefusalKind, uint64, uint64) error, b *Budget) error {
	h := &f.Header
	if h.Phnum == 0 {
		return nil
	}
	table, ok := Cut(f.Data, h.Phoff, 56*h.Phnum)
	if !ok || h.Phentsize != 56 {
		return refuse(verdict.BadTable, 32, h.Phoff)
	}
	if err := b.Spend(f.Name, h.Phnum); err != nil {
		return err
	}
	for at := uint64(0); at < uint64(len(table)); at += 56 {
		f.Segments = append(f.Segments, Segment{
			Kind: Word(table, at), Flags: Word(table, at+4), Offset: Number(table, at+8, 8),
			Vaddr: Number(table, at+16, 8), Paddr: Number(table, at+24, 8),
			Filesz: Number(table, at+32, 8), Mem: Number(table, at+40, 8), Align: Number(table, at+48, 8),
		})
	}
	return nil
}

func (f *Image) readSymbols(b *Budget) error {
	for i := range f.Sections {
		if f.Sections[i].Kind == cuda.SHTSymtab && f.Symtab == 0 {
			f.Symtab = i
		}
	}
	if f.Symtab == 0 {
		return nil
	}
	symbols, err := f.symbolTable(&f.Sections[f.Symtab], b)
	f.Symbols = symbols
	return err
}

// symbolTable reads the entries of a symbol table.
func (f *Image) symbolTable(table *Section, b *Budget) ([]Symbol, error) {
	if table.Size%24 != 0 || uint64(table.Link) >= uint64(len(f.Sections)) {
		return nil, &verdict.Refusal{Kind: verdict.BadSymbols, File: f.Name, Section: table.Name, Offset: table.Offset, Value: table.Size}
	}
	names := f.Sections[table.Link].Body
	var wide []byte
	for i := range f.Sections {
		if f.Sections[i].Kind == cuda.SHTSymtabShndx && f.Sections[i].Link == uint32(table.Index) {
			wide = f.Sections[i].Body
		}
	}
	count := table.Size / 24
	if err := b.Spend(f.Name, count); err != nil {
		return nil, err
	}
	symbols := make([]Symbol, 0, count)
	for i := range count {
		at := 24 * i
		s := Symbol{
			Index: int(i),
			Info:  byte(Number(table.Body, at+4, 1)), Other: byte(Number(table.Body, at+5, 1)),
			Shndx: int(Number(table.Body, at+6, 2)),
			Value: Number(table.Body, at+8, 8), Size: Number(table.Body, at+16, 8),
		}
		// 0xff00 itself is written as an index by nvlink 13.0.
		switch {
		case s.Shndx == cuda.SHNXindex:
			s.Shndx = int(Word(wide, 4*i))
		case s.Shndx > cuda.SHNLoReserve || s.Shndx == cuda.SHNLoReserve && len(f.Sections) <= s.Shndx:
			s.Special = true
		}
		if !s.Special && s.Shndx >= len(f.Sections) {
			return nil, &verdict.Refusal{Kind: verdict.BadSymbols, File: f.Name, Section: table.Name, Offset: at, Value: uint64(s.Shndx)}
		}
		name, ok := Text(names, Number(table.Body, at, 4))
		if !ok && Word(table.Body, at) != 0 {
			return nil, &verdict.Refusal{Kind: verdict.BadSymbols, File: f.Name, Section: table.Name, Offset: at, Value: Number(table.Body, at, 4)}
		}
		if err := b.Spend(f.Name, uint64(len(name))/16); err != nil {
			return nil, err
		}
		s.Name = name
		symbols = append(symbols, s)
	}
	return symbols, nil
}

// Strings is the table of the symbols' names, which prototypes share.
func (f *Image) Strings() []byte {
	if f.Symtab == 0 || int(f.Sections[f.Symtab].Link) >= len(f.Sections) {
		return nil
	}
	return f.Sections[f.Sections[f.Symtab].Link].Body
}

// Nameless reports whether a symbol index stands for nothing: 0, or a function
// without a name, which 12.x writes for it.
func (i *Image) Nameless(index uint32) bool {
	if index == 0 || int(index) >= len(i.Symbols) {
		return index == 0
	}
	s := &i.Symbols[index]
	return s.Name == "" && s.Kind() == cuda.STTFunc && !s.Defined()
}

// NamedBy is what a record of a section says; a REL record has its addend in the
// bytes.
func (f *Image) NamedBy(s *Section, r Record) Named {
	n := Named{Symbol: f.Symbols[r.Symbol].Name, addend: r.Addend}
	if !r.Rela {
		n.addend = int64(Number(s.Body, r.Offset, min(8, uint64(len(s.Body))-min(r.Offset, uint64(len(s.Body))))))
	}
	return n
}

// CapsuleFor is the capsule of a section of SASS.
func (f *Image) CapsuleFor(index int) *Section {
	if f.capsuleOf == nil {
		f.capsuleOf = map[int]*Section{}
		for i := range f.All {
			if s := &f.All[i]; s.Kind == cuda.SHTCudaCapmerc {
				f.capsuleOf[int(Word(s.Body, 0))] = s
			}
		}
	}
	return f.capsuleOf[index]
}

// MercuryAttributes are the attributes of a function's Mercury side: of definitions whose
// code is the same, what they were compiled with may show nowhere else.
func (f *Image) MercuryAttributes(code int, b *Budget) []Attribute {
	if f.mercuryInfo == nil {
		f.mercuryInfo = map[int]int{}
		for i := range f.All {
			if s := &f.All[i]; s.Kind == cuda.SHTMercInfo && s.Info != 0 {
				f.mercuryInfo[int(s.Info)] = i
			}
		}
	}
	capsule := f.CapsuleFor(code)
	if capsule == nil {
		return nil
	}
	i, ok := f.mercuryInfo[capsule.Index]
	if !ok {
		return nil
	}
	list, err := f.ReadAttributes(&f.All[i], b)
	if err != nil {
		return nil // told where that side is judged
	}
	return list
}
