package objects

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

// The first sections of every file.
const (
	shstrtabIndex = 1
	strtabIndex   = 2
	symtabIndex   = 3
)

// section is one section; size where it has no bytes in the file.
type section struct {
	name       string
	typ        cuda.SectionType
	flags      cuda.SectionFlags
	size       uint64
	link, info uint32
	align      uint64
	entsize    uint64
	data       []byte
}

type symbol struct {
	name        string
	info, other uint8
	shndx       uint16
	value, size uint64
}

// file is an ELF file under way.
type file struct {
	osabi, abi uint8
	version    uint32
	flags      uint32
	sections   []section
	symbols    []symbol
	names      []byte
	offsets    map[string]uint32
}

// header sets what release and architecture put into the header.
func (f *file) header(t Target, older uint8) {
	f.names, f.offsets = []byte{0}, map[string]uint32{}
	virtual := olderSM(t.SM, older)
	f.osabi, f.abi = 0x33, 7
	f.version = apiOf(t)
	f.flags = uint32(t.SM) | 0x500 | uint32(virtual)<<16
	if t.Release >= "13" {
		f.osabi, f.abi, f.version = 0x41, 8, 1
		f.flags = 0x06000004 | uint32(t.SM)<<8
	}
	f.sections = []section{{}, {name: ".shstrtab", typ: cuda.SHTStrtab, align: 1}, {name: ".strtab", typ: cuda.SHTStrtab, align: 1},
		{name: ".symtab", typ: cuda.SHTSymtab, align: 8, entsize: 24, link: strtabIndex}}
	f.symbols = []symbol{{}}
}

// olderSM is the virtual architecture some steps below.
func olderSM(sm int, older uint8) int {
	list := [...]int{50, 52, 60, 70, 75, 80, 90}
	at := 0
	for i, v := range list {
		if v <= sm {
			at = i
		}
	}
	if older == 0 {
		return sm
	}
	return list[max(at-int(older), 0)]
}

// notes adds what 13.0 says of itself.
func (f *file) notes(t Target, older uint8) {
	note := func(typ uint32, desc []byte) []byte {
		d := binary.LittleEndian.AppendUint32(nil, 12)
		d = binary.LittleEndian.AppendUint32(d, uint32(len(desc)))
		d = binary.LittleEndian.AppendUint32(d, typ)
		return append(append(d, "NVIDIA Corp\x00"...), desc...)
	}
	texts := []string{"", "ptxas", "Cuda compilation tools, release 13.0, V13.0.88", "Build cuda_13.0.r13.0/compiler.36424714_0", fmt.Sprintf("-arch sm_%d -c ", t.SM)}
	var pool []byte
	head := binary.LittleEndian.AppendUint32(nil, 2)
	for _, s := range texts {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(pool)))
		pool = append(append(pool, s...), 0)
	}
	desc := append(head, pool...)
	for len(desc)%4 > 0 {
		desc = append(desc, 0)
	}
	tk := f.section(section{name: ".note.nv.tkinfo", typ: cuda.SHTNote, flags: 0x2000000, align: 4, data: note(2000, desc)})
	f.symbol(symbol{name: ".note.nv.tkinfo", info: uint8(cuda.STTSection), shndx: uint16(tk)})
	cu := binary.LittleEndian.AppendUint16(nil, 2)
	cu = binary.LittleEndian.AppendUint16(cu, uint16(olderSM(t.SM, older)))
	cu = binary.LittleEndian.AppendUint32(cu, apiOf(t))
	ci := f.section(section{name: ".note.nv.cuinfo", typ: cuda.SHTNote, flags: 0x1000040, align: 4, link: uint32(tk), data: note(1000, cu)})
	f.symbol(symbol{name: ".note.nv.cuinfo", info: uint8(cuda.STTSection), shndx: uint16(ci)})
	if t.SM >= 90 {
		compat := f.section(section{name: ".nv.compat", typ: cuda.SHTCudaCompat, align: 4, data: []byte{
			2, 9, 0, 0, 2, 2, 1, 0, 2, 5, 5, 0, 3, 7, 1, 1, 2, 3, 0, 0, 2, 6, 1, 0, 4, 11, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0}})
		f.sections[ci].info = uint32(compat)
	}
}

func (f *file) section(s section) int {
	if f.version == 118 {
		s.flags &^= cuda.SHFInfoLink // 11.8 doesn't set it
	}
	if s.align == 0 {
		s.align = 4
	}
	f.sections = append(f.sections, s)
	return len(f.sections) - 1
}

func (f *file) symbol(s symbol) uint32 {
	f.symbols = append(f.symbols, s)
	return uint32(len(f.symbols) - 1)
}

// name returns the place of a name in .strtab.
func (f *file) name(s string) uint32 {
	if s == "" {
		return 0
	}
	if at, ok := f.offsets[s]; ok {
		return at
	}
	at := uint32(len(f.names))
	f.names = append(append(f.names, s...), 0)
	f.offsets[s] = at
	return at
}

// encode writes the file: header, sections, table.
func (f *file) encode() []byte {
	symtab := &f.sections[symtabIndex]
	symtab.data, symtab.info = f.symbolTable()
	f.sections[strtabIndex].data = f.names
	names := []byte{0}
	at := make([]uint32, len(f.sections)) // of each section's name
	for i := 1; i < len(f.sections); i++ {
		at[i] = uint32(len(names))
		names = append(append(names, f.sections[i].name...), 0)
	}
	f.sections[shstrtabIndex].data = names

	out := make([]byte, 64)
	var headers []byte
	for i := range f.sections {
		s := &f.sections[i]
		for s.align > 1 && uint64(len(out))%s.align > 0 {
			out = append(out, 0)
		}
		offset := uint64(len(out))
		if i == 0 {
			offset = 0
		}
		headers = s.appendHeader(headers, at[i], offset)
		out = append(out, s.data...)
	}
	for len(out)%8 > 0 {
		out = append(out, 0)
	}
	f.putHeader(out)
	return append(out, headers...)
}

// symbolTable also returns how many symbols come before the first that isn't local.
func (f *file) symbolTable() (table []byte, locals uint32) {
	for i, s := range f.symbols {
		if s.info>>4 == uint8(cuda.STBLocal) {
			locals = uint32(i + 1)
		}
		table = binary.LittleEndian.AppendUint32(table, f.name(s.name))
		table = append(table, s.info, s.other)
		table = binary.LittleEndian.AppendUint16(table, s.shndx)
		table = binary.LittleEndian.AppendUint64(table, s.value)
		table = binary.LittleEndian.AppendUint64(table, s.size)
	}
	return table, locals
}

func (s *section) appendHeader(table []byte, name uint32, offset uint64) []byte {
	size := uint64(len(s.data))
	if s.data == nil {
		size = s.size
	}
	table = binary.LittleEndian.AppendUint32(table, name)
	table = binary.LittleEndian.AppendUint32(table, uint32(s.typ))
	for _, v := range [...]uint64{uint64(s.flags), 0, offset, size} {
		table = binary.LittleEndian.AppendUint64(table, v)
	}
	table = binary.LittleEndian.AppendUint32(table, s.link)
	table = binary.LittleEndian.AppendUint32(table, s.info)
	table = binary.LittleEndian.AppendUint64(table, s.align)
	return binary.LittleEndian.AppendUint64(table, s.entsize)
}

// putHeader writes the ELF header of a file whose section headers follow out.
func (f *file) putHeader(out []byte) {
	copy(out, "\x7fELF\x02\x01\x01")
	out[7], out[8] = f.osabi, f.abi
	put := binary.LittleEndian
	put.PutUint16(out[16:], 1)
	put.PutUint16(out[18:], 190)
	put.PutUint32(out[20:], f.version)
	put.PutUint64(out[40:], uint64(len(out)))
	put.PutUint32(out[48:], f.flags)
	put.PutUint16(out[52:], 64)
	put.PutUint16(out[58:], 64)
	put.PutUint16(out[60:], uint16(len(f.sections)))
	put.PutUint16(out[62:], shstrtabIndex)
	if f.version != 1 { // the older form says where program headers would be
		put.PutUint16(out[54:], 56)
	}
}
