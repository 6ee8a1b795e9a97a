package cubin

import (
	"fmt"
	"iter"

	"github.com/twinlink/twinlink/cuda"
)

// File is a device ELF file: a view of its bytes.
type File struct {
	Name   string
	Data   []byte
	Header Header

	shdrs  []byte
	shnum  int
	types  []cuda.SectionType // of all sections, for searches
	shstr  []byte
	symtab *Symtab
}

// Open checks the frame of a device ELF file: header, tables, every section's
// extent, every name. It reads data once and keeps it; the caller must not
// change it afterwards.
func Open(name string, data []byte) (*File, error) {
	f := &File{Name: name, Data: data}
	if err := f.openHeader(); err != nil {
		return nil, err
	}
	if err := f.openSections(); err != nil {
		return nil, err
	}
	if err := f.openSymbols(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) fault(k Kind, section string, off, value uint64, format string, args ...any) error {
	return &Error{Kind: k, File: f.Name, Section: section, Offset: off, Value: value,
		Detail: fmt.Sprintf(format, args...)}
}

func (f *File) openHeader() error {
	magic, ok := Window(f.Data, 0, 4)
	if !ok || string(magic) != "\x7fELF" {
		return f.fault(NotELF, "", 0, uint64(len(f.Data)), "a file of that many bytes without the ELF magic")
	}
	b, ok := Window(f.Data, 0, HeaderSize)
	if !ok {
		return f.fault(BadHeader, "", 0, uint64(len(f.Data)), "the file is shorter than an ELF header")
	}
	f.Header = decodeHeader((*[HeaderSize]byte)(b))
	h := &f.Header
	switch {
	case h.Ident[4] != 2:
		return f.fault(BadHeader, "", 4, uint64(h.Ident[4]), "EI_CLASS is not ELFCLASS64")
	case h.Ident[5] != 1:
		return f.fault(BadHeader, "", 5, uint64(h.Ident[5]), "EI_DATA is not little endian")
	case h.Machine != cuda.EMCuda:
		return f.fault(NotDevice, "", 18, uint64(h.Machine), "e_machine is not EM_CUDA (190)")
	case h.OSABI() != cuda.OSABILegacy && h.OSABI() != cuda.OSABICuda13:
		return f.fault(BadHeader, "", 7, uint64(h.OSABI()), "EI_OSABI is neither 0x33 nor 0x41")
	}
	return nil
}

func (f *File) openSections() error {
	h := &f.Header
	if h.ShOff == 0 {
		return f.fault(BadTable, "", 40, 0, "no section header table")
	}
	if h.ShEntSize != SectionSize {
		return f.fault(BadTable, "", 58, uint64(h.ShEntSize), "e_shentsize is not 64")
	}
	first, ok := Window(f.Data, h.ShOff, SectionSize)
	if !ok {
		return f.fault(BadTable, "", 40, h.ShOff, "the section header table is outside the file")
	}
	null := decodeSection((*[SectionSize]byte)(first))
	count := uint64(h.ShNum)
	if count == 0 {
		count = null.Size
	}
	if count == 0 || count > uint64(len(f.Data))/SectionSize {
		return f.fault(BadTable, "", 60, count, "more section headers than the file has room for")
	}
	f.shnum = int(count)
	if f.shdrs, ok = Window(f.Data, h.ShOff, count*SectionSize); !ok {
		return f.fault(BadTable, "", 40, h.ShOff, "the section header table is outside the file")
	}
	strndx := uint32(h.ShStrNdx)
	if strndx == cuda.SHNXindex {
		strndx = null.Link
	}
	if strndx == 0 || int64(strndx) >= int64(f.shnum) {
		return f.fault(BadIndex, "", 62, uint64(strndx), "e_shstrndx is not a section")
	}
	names := f.Section(int(strndx))
	if f.shstr, ok = Window(f.Data, names.Off, names.Size); !ok || names.Type != cuda.SHTStrtab {
		return f.fault(BadTable, "", names.Off, names.Size, "the section names are not a string table inside the file")
	}
	if !terminated(f.shstr) {
		return f.fault(BadName, "", names.Off, names.Size, "the last section name has no end")
	}
	f.types = make([]cuda.SectionType, f.shnum)
	for i := 1; i < f.shnum; i++ {
		s := f.Section(i)
		f.types[i] = s.Type
		if uint64(s.NameOff) >= uint64(len(f.shstr)) {
			return f.fault(BadName, "", h.ShOff+uint64(i)*SectionSize, uint64(s.NameOff), "section %d: name outside the string table", i)
		}
		if s.NoBits() {
			continue
		}
		if _, ok := Window(f.Data, s.Off, s.Size); !ok {
			return f.fault(BadExtent, f.SectionName(&s), s.Off, s.Size, "section %d of that many bytes", i)
		}
	}
	return f.openProgs()
}

func (f *File) openProgs() error {
	h := &f.Header
	if h.PhNum == 0 {
		return nil
	}
	if h.PhEntSize != ProgSize {
		return f.fault(BadTable, "", 54, uint64(h.PhEntSize), "e_phentsize is not 56")
	}
	if _, ok := Window(f.Data, h.PhOff, uint64(h.PhNum)*ProgSize); !ok {
		return f.fault(BadTable, "", 32, h.PhOff, "the program header table is outside the file")
	}
	return nil
}

// terminated reports whether every string of a table has an end.
func terminated(table []byte) bool {
	return len(table) > 0 && table[len(table)-1] == 0
}

func (f *File) openSymbols() error {
	for i := range f.OfType(cuda.SHTSymtab) {
		t, err := f.openSymtab(i)
		f.symtab = t
		return err
	}
	return nil
}

// openSymtab checks the symbol table in section i.
func (f *File) openSymtab(i int) (*Symtab, error) {
	s := f.Section(i)
	name := f.SectionName(&s)
	if s.EntSize != SymbolSize || s.Size%SymbolSize != 0 {
		return nil, f.fault(BadTable, name, s.Off, s.Size, "not a table of 24-byte symbols")
	}
	if s.Link == 0 || int64(s.Link) >= int64(f.shnum) {
		return nil, f.fault(BadIndex, name, 0, uint64(s.Link), "sh_link is not a string table")
	}
	names := f.Section(int(s.Link))
	t := &Symtab{file: f, table: f.Content(&s), names: f.Content(&names), index: i, locals: int(s.Info)}
	if names.Type != cuda.SHTStrtab || !terminated(t.names) {
		return nil, f.fault(BadName, name, names.Off, names.Size, "sh_link is not a terminated string table")
	}
	for k := range f.OfType(cuda.SHTSymtabShndx) {
		if x := f.Section(k); int(x.Link) == i {
			t.shndx = f.Content(&x)
		}
	}
	for k := 0; k < t.Len(); k++ {
		sym, _ := t.At(k)
		if uint64(sym.NameOff) >= uint64(len(t.names)) {
			return nil, f.fault(BadName, name, uint64(k)*SymbolSize, uint64(sym.NameOff), "symbol %d: name outside the string table", k)
		}
		ndx := t.Shndx(k, &sym)
		if ndx < cuda.SHNLoReserve || sym.Shndx == cuda.SHNXindex {
			if int64(ndx) >= int64(f.shnum) {
				return nil, f.fault(BadIndex, name, uint64(k)*SymbolSize, uint64(ndx), "symbol %d: st_shndx is not a section", k)
			}
		}
	}
	return t, nil
}

// NumSections returns the number of section headers, the null one included.
func (f *File) NumSections() int { return f.shnum }

// Section returns header i; a zero Section past the table's end.
func (f *File) Section(i int) Section {
	b, ok := record(f.shdrs, i, SectionSize)
	if !ok {
		return Section{}
	}
	return decodeSection((*[SectionSize]byte)(b))
}

// AppendSections appends all section headers to list.
func (f *File) AppendSections(list []Section) []Section {
	for b := f.shdrs; len(b) >= SectionSize; b = b[SectionSize:] {
		list = append(list, decodeSection((*[SectionSize]byte)(b)))
	}
	return list
}

// OfType returns the indices of the sections of a type, the null section omitted.
func (f *File) OfType(t cuda.SectionType) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, have := range f.types {
			if have == t && i > 0 && !yield(i) {
				return
			}
		}
	}
}

// SectionName returns the section's name.
func (f *File) SectionName(s *Section) string {
	name, _ := cString(f.shstr, uint64(s.NameOff))
	return name
}

// Content returns the section's bytes in the file, nil where it has none.
func (f *File) Content(s *Section) []byte {
	if s.NoBits() {
		return nil
	}
	b, _ := Window(f.Data, s.Off, s.Size)
	return b
}

// Symtab returns .symtab, or nil where the file has none.
func (f *File) Symtab() *Symtab { return f.symtab }

// Lookup returns the index of the first section of that name, 0 for none.
func (f *File) Lookup(name string) int {
	for i := 1; i < f.shnum; i++ {
		s := f.Section(i)
		if f.SectionName(&s) == name {
			return i
		}
	}
	return 0
}

// Progs returns the program headers.
func (f *File) Progs() []Prog {
	var progs []Prog
	table, ok := Window(f.Data, f.Header.PhOff, uint64(f.Header.PhNum)*ProgSize)
	if !ok || f.Header.PhEntSize != ProgSize {
		return nil
	}
	for i := 0; i < int(f.Header.PhNum); i++ {
		b, ok := record(table, i, ProgSize)
		if !ok {
			break
		}
		progs = append(progs, decodeProg((*[ProgSize]byte)(b)))
	}
	return progs
}
