package cubin

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// made is a section of a file that a test puts together, so that it has what no tool's file at hand has.
type made struct {
	name        string
	typ         cuda.SectionType
	flags       cuda.SectionFlags
	link, info  uint32
	align, size uint64
	data        []byte
	off         uint64 // 0: after the one before it, by its alignment
}

// madeFile is the ELF header and sections 2 and on; section 1 has the names.
type madeFile struct {
	old      bool // header of 12.x
	flags    uint32
	mod      uint64 // alignment of the section headers, 0 for 8
	sections []made
	progs    []Prog
	first    []made // before the names
	gap      []byte // before the tables
}

func (m *madeFile) bytes(t testing.TB) []byte {
	t.Helper()
	names := []byte{0}
	list := append(append([]made{{}}, m.first...), made{name: ".shstrtab", typ: cuda.SHTStrtab, align: 1})
	at := len(list) - 1
	list = append(list, m.sections...)
	heads := make([]Section, len(list))
	for i := range list {
		if heads[i].NameOff = uint32(len(names)); i > 0 {
			names = append(append(names, list[i].name...), 0)
		}
	}
	heads[0].NameOff = 0
	list[at].data = names
	out := make([]byte, HeaderSize)
	for i := 1; i < len(list); i++ {
		s, h := &list[i], &heads[i]
		h.Type, h.Flags, h.Link, h.Info, h.Align = s.typ, s.flags, s.link, s.info, s.align
		if IsSymbols(s.typ) {
			h.EntSize = SymbolSize
		} else if IsRelocs(s.typ) {
			h.EntSize = uint64(recordSize(s.typ))
		}
		h.Size = max(s.size, uint64(len(s.data)))
		if h.Off = s.off; h.Off == 0 {
			h.Off, _ = roundUp(uint64(len(out)), s.align)
		}
		if len(s.data) == 0 {
			continue
		}
		if end := h.Off + uint64(len(s.data)); uint64(len(out)) < end {
			out = append(out, make([]byte, end-uint64(len(out)))...)
		}
		copy(out[h.Off:], s.data)
	}
	out = append(out, m.gap...)
	if len(m.gap) == 0 {
		for m.mod == 0 && len(out)%tableAlign != 0 {
			out = append(out, 0)
		}
	}
	h := Header{Machine: cuda.EMCuda, Flags: m.flags, ShOff: uint64(len(out)), ShNum: uint16(len(list)), ShStrNdx: uint16(at), EhSize: HeaderSize, ShEntSize: SectionSize}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01\x41\x08")
	if m.old {
		h.Ident[7] = cuda.OSABILegacy
	}
	for i := range heads {
		out = append(out, make([]byte, SectionSize)...)
		heads[i].Put((*[SectionSize]byte)(out[len(out)-SectionSize:]))
	}
	if len(m.progs) > 0 {
		h.PhOff, h.PhNum, h.PhEntSize = uint64(len(out)), uint16(len(m.progs)), ProgSize
	}
	for i := range m.progs {
		out = append(out, make([]byte, ProgSize)...)
		m.progs[i].Put((*[ProgSize]byte)(out[len(out)-ProgSize:]))
	}
	h.Put((*[HeaderSize]byte)(out))
	return out
}

// endFirst makes the first section, which follows the names, end at a place.
func (m *madeFile) endFirst(at int) {
	names := 1 + len(".shstrtab") + 1
	for i := range m.sections {
		names += len(m.sections[i].name) + 1
	}
	m.sections[0].data = make([]byte, at-HeaderSize-names)
}

// open opens the file, and wants it back from the editor as it was.
func (m *madeFile) open(t testing.TB) *Editor {
	t.Helper()
	data := m.bytes(t)
	d, err := Decode("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Encode()
	if err != nil || !bytes.Equal(out, data) {
		t.Fatalf("the file doesn't come back: %v", err)
	}
	return d
}

// laidOut lays a changed file out and opens what is written.
func laidOut(t testing.TB, d *Editor) *Editor {
	t.Helper()
	if err := d.Layout(); err != nil {
		t.Fatal(err)
	}
	out, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode("a.cubin", out)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// symbol is an entry of a table.
func symbol(nameOff uint32, info uint8, shndx uint16) []byte {
	var b [SymbolSize]byte
	s := Symbol{NameOff: nameOff, Info: info, Shndx: shndx}
	s.Put(&b)
	return b[:]
}

// fault wants an error of a kind, in a section, at an offset, with a value.
func fault(t *testing.T, what string, err error, kind Kind, section string, offset, value uint64) {
	t.Helper()
	wrong(t, what, err, kind, offset, value)
	if e, ok := err.(*Error); ok && e.Section != section {
		t.Errorf("%s: in section %q, want %q", what, e.Section, section)
	}
}
