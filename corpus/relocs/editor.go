package relocs

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// An editor of cubins in which nothing moves. Sections of the Mercury group
// share their bytes with sections of the other group, and a layout that changed
// with every vector would hide what the vector is about. So an edit writes over
// what is there; a section that grows is rewritten after the file's end;
// and the table of section headers comes last, also after the end.
//
// It reads what ptxas or nvlink made a moment ago. That is not taken on trust:
// an output that is not what it should be is an error.

var le = binary.LittleEndian

const (
	headerSize  = 64 // of the file, and of each section header
	symbolSize  = 24
	relSize     = 16
	relaSize    = 24
	maxSections = 1 << 12
)

// part is one section header with its bytes.
type part struct {
	name, kind                uint32
	flags, addr, offset, size uint64
	link, info                uint32
	align, entry              uint64
	data                      []byte // a slice of the sheet's bytes; nil without file bytes
	moved                     bool   // data is not at offset any more
}

// cubinEditor is a cubin in parts.
type cubinEditor struct {
	bytes []byte
	parts []*part
	names int // index of .shstrtab
}

// noBits tells the section types that have a size and no bytes in the file.
func noBits(kind uint32) bool {
	switch cuda.SectionType(kind) {
	case cuda.SHTNull, cuda.SHTNobits, cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared, cuda.SHTCudaSharedReserved:
		return true
	}
	return false
}

// read makes a sheet of a copy of b.
func read(b []byte) (*cubinEditor, error) {
	if len(b) < headerSize || string(b[:4]) != "\x7fELF" {
		return nil, fmt.Errorf("not an ELF file")
	}
	f := &cubinEditor{bytes: slices.Clone(b), names: int(le.Uint16(b[62:]))}
	at, count := le.Uint64(b[40:]), int(le.Uint16(b[60:]))
	if count > maxSections || at > uint64(len(b)) || uint64(len(b))-at < uint64(count)*headerSize || f.names >= count {
		return nil, fmt.Errorf("section headers outside the file")
	}
	for i := range count {
		h := f.bytes[at+uint64(i)*headerSize:][:headerSize]
		p := &part{
			name: le.Uint32(h), kind: le.Uint32(h[4:]), flags: le.Uint64(h[8:]), addr: le.Uint64(h[16:]),
			offset: le.Uint64(h[24:]), size: le.Uint64(h[32:]), link: le.Uint32(h[40:]), info: le.Uint32(h[44:]),
			align: le.Uint64(h[48:]), entry: le.Uint64(h[56:]),
		}
		if !noBits(p.kind) {
			if p.offset > uint64(len(b)) || p.size > uint64(len(b))-p.offset {
				return nil, fmt.Errorf("section %d outside the file", i)
			}
			p.data = f.bytes[p.offset : p.offset+p.size : p.offset+p.size]
		}
		f.parts = append(f.parts, p)
	}
	return f, nil
}

// write returns the file.
func (f *cubinEditor) write() []byte {
	out := f.bytes
	pad := func(n uint64) {
		for n > 1 && uint64(len(out))%n != 0 {
			out = append(out, 0)
		}
	}
	for _, p := range f.parts {
		if p.moved {
			pad(p.align)
			p.offset = uint64(len(out))
			out = append(out, p.data...)
		}
	}
	pad(8)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[60:], uint16(len(f.parts)))
	for _, p := range f.parts {
		out = le.AppendUint32(le.AppendUint32(out, p.name), p.kind)
		for _, w := range []uint64{p.flags, p.addr, p.offset, p.size} {
			out = le.AppendUint64(out, w)
		}
		out = le.AppendUint32(le.AppendUint32(out, p.link), p.info)
		out = le.AppendUint64(le.AppendUint64(out, p.align), p.entry)
	}
	return out
}

// put gives a part new bytes: in place where they fit, else after the file.
func (f *cubinEditor) put(p *part, data []byte) {
	p.size = uint64(len(data))
	if len(data) <= len(p.data) && !p.moved {
		copy(p.data, data)
		p.data = p.data[:len(data):len(data)]
		return
	}
	p.data, p.moved = data, true
}

// title adds a string to the section names and returns its offset.
func (f *cubinEditor) title(name string) uint32 {
	table := f.parts[f.names]
	at := uint32(len(table.data))
	f.put(table, append(slices.Clone(table.data), name+"\x00"...))
	return at
}

// text returns the string at an offset of a string table, "" outside.
func text(table []byte, at uint32) string {
	if int64(at) >= int64(len(table)) {
		return ""
	}
	end := slices.Index(table[at:], 0)
	if end < 0 {
		return ""
	}
	return string(table[at:][:end])
}

func (f *cubinEditor) nameOf(p *part) string { return text(f.parts[f.names].data, p.name) }

// find returns the first section of that name and its index, nil without one.
func (f *cubinEditor) find(name string) (*part, int) {
	for i, p := range f.parts {
		if p.kind != 0 && f.nameOf(p) == name {
			return p, i
		}
	}
	return nil, 0
}

// symbols returns the bytes of a symbol table and of its names.
func (f *cubinEditor) symbols(index int) (table, names []byte) {
	if index <= 0 || index >= len(f.parts) {
		return nil, nil
	}
	t := f.parts[index]
	if int(t.link) >= len(f.parts) {
		return nil, nil
	}
	return t.data, f.parts[t.link].data
}

// symbol returns the index of the first symbol of that name in a symbol table.
// "#7" is index 7, whether there is such a symbol or not.
func (f *cubinEditor) symbol(index int, name string) (uint32, error) {
	var n uint32
	if _, err := fmt.Sscanf(name, "#%d", &n); err == nil {
		return n, nil
	}
	table, names := f.symbols(index)
	for at := 0; at+symbolSize <= len(table); at += symbolSize {
		if f.symbolName(table[at:], names) == name {
			return uint32(at / symbolSize), nil
		}
	}
	return 0, fmt.Errorf("no symbol %s", name)
}

// symbolName is a symbol's own name, or that of the section it stands for.
func (f *cubinEditor) symbolName(symbol, names []byte) string {
	if name := text(names, le.Uint32(symbol)); name != "" || symbol[4]&15 != byte(cuda.STTSection) {
		return name
	}
	if n := int(le.Uint16(symbol[6:])); n < len(f.parts) {
		return f.nameOf(f.parts[n])
	}
	return ""
}
