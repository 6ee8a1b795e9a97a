package onerecord

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A reader and editor of cubins, no larger than the experiments need. It keeps
// every section's bytes apart, lets them be changed, and writes the file again
// with the header table at the end. It trusts its input, which ptxas or nvlink
// made a moment ago.

var le = binary.LittleEndian

type section struct {
	name                      uint32
	kind                      uint32
	flags, addr, offset, size uint64
	link, info                uint32
	align, entry              uint64
	data                      []byte
}

type file struct {
	header   []byte
	sections []*section
	strings  *section // .shstrtab
}

func noBits(kind uint32) bool {
	switch kind {
	case 8, 0x70000007, 0x70000009, 0x7000000a, 0x70000015:
		return true
	}
	return false
}

func open(b []byte) *file {
	f := &file{header: slices.Clone(b[:64])}
	at := le.Uint64(b[40:])
	for range le.Uint16(b[60:]) {
		h := b[at:]
		s := &section{
			name: le.Uint32(h), kind: le.Uint32(h[4:]), flags: le.Uint64(h[8:]), addr: le.Uint64(h[16:]),
			offset: le.Uint64(h[24:]), size: le.Uint64(h[32:]), link: le.Uint32(h[40:]), info: le.Uint32(h[44:]),
			align: le.Uint64(h[48:]), entry: le.Uint64(h[56:]),
		}
		if !noBits(s.kind) && s.kind != 0 {
			s.data = slices.Clone(b[s.offset : s.offset+s.size])
		}
		f.sections = append(f.sections, s)
		at += 64
	}
	f.strings = f.sections[le.Uint16(b[62:])]
	return f
}

func (f *file) bytes() []byte {
	out := slices.Clone(f.header)
	pad := func(n uint64) {
		for uint64(len(out))%n != 0 {
			out = append(out, 0)
		}
	}
	for _, s := range f.sections {
		if s.kind == 0 {
			continue
		}
		pad(max(s.align, 1))
		s.offset = uint64(len(out))
		if !noBits(s.kind) {
			s.size = uint64(len(s.data))
		}
		out = append(out, s.data...)
	}
	pad(8)
	le.PutUint64(out[40:], uint64(len(out)))
	for _, s := range f.sections {
		out = le.AppendUint32(le.AppendUint32(out, s.name), s.kind)
		for _, w := range []uint64{s.flags, s.addr, s.offset, s.size} {
			out = le.AppendUint64(out, w)
		}
		out = le.AppendUint32(le.AppendUint32(out, s.link), s.info)
		out = le.AppendUint64(le.AppendUint64(out, s.align), s.entry)
	}
	return out
}

func text(table []byte, at uint32) string {
	end := at
	for table[end] != 0 {
		end++
	}
	return string(table[at:end])
}

// find returns the section of that name and its index; nil where there is none.
func (f *file) find(name string) (*section, int) {
	for i, s := range f.sections {
		if s.kind != 0 && text(f.strings.data, s.name) == name {
			return s, i
		}
	}
	return nil, 0
}

// rename gives a section a new name, at the end of the string table.
func (f *file) rename(s *section, name string) {
	s.name = uint32(len(f.strings.data))
	f.strings.data = append(append(f.strings.data, name...), 0)
}

// symbol returns the 24 bytes of the first symbol of that name in a symbol
// table, and its index.
func (f *file) symbol(table, name string) ([]byte, uint32, error) {
	t, _ := f.find(table)
	if t == nil {
		return nil, 0, fmt.Errorf("no %s", table)
	}
	names := f.sections[t.link].data
	for at := 0; at < len(t.data); at += 24 {
		if text(names, le.Uint32(t.data[at:])) == name {
			return t.data[at : at+24], uint32(at / 24), nil
		}
	}
	return nil, 0, fmt.Errorf("no symbol %s", name)
}

// record is one relocation record as it is in a linked file.
type record struct {
	section string
	offset  uint64
	number  uint32
	symbol  string
	addend  int64 // RELA
}

// records lists the records of every section that holds some, with the given
// section types.
func (f *file) records(kinds ...uint32) []record {
	var list []record
	for _, s := range f.sections {
		if !slices.Contains(kinds, s.kind) {
			continue
		}
		step := 24
		if s.kind == 9 {
			step = 16
		}
		symbols := f.sections[s.link]
		names := f.sections[symbols.link].data
		for b := s.data; len(b) >= step; b = b[step:] {
			r := record{section: text(f.strings.data, s.name), offset: le.Uint64(b), number: le.Uint32(b[8:])}
			r.symbol = "?"
			if at := 24 * int(le.Uint32(b[12:])); at < len(symbols.data) {
				r.symbol = text(names, le.Uint32(symbols.data[at:]))
			}
			if step == 24 {
				r.addend = int64(le.Uint64(b[16:]))
			}
			list = append(list, r)
		}
	}
	return list
}
