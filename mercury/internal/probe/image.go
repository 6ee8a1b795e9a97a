package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// image is a cubin taken apart far enough to be given new section contents:
// the ELF header, the section headers, and the bytes of each section. What a
// link reads of a section is its header, its name and its bytes; where in the
// file they stand is free.
type image struct {
	data    []byte
	headers []header
}

// header is a section header as it is in an ELF64 file.
type header struct {
	Name, Type       uint32
	Flags, Addr      uint64
	Off, Size        uint64
	Link, Info       uint32
	Align, EntrySize uint64
}

const (
	headerSize     = 64
	typeSymtab     = 2
	typeCapsule    = 0x70000016
	typeMercRela   = 0x70000082
	typeMercInfo   = 0x70000083
	typeMercSymtab = 0x70000085
)

func open(data []byte) (*image, error) {
	if len(data) < headerSize || !bytes.HasPrefix(data, []byte("\x7fELF")) {
		return nil, fmt.Errorf("probe: not an ELF file of %d bytes", len(data))
	}
	at := binary.LittleEndian.Uint64(data[40:])
	count := int(binary.LittleEndian.Uint16(data[60:]))
	if at > uint64(len(data)) || uint64(count*headerSize) > uint64(len(data))-at {
		return nil, fmt.Errorf("probe: section headers at %#x of a file of %#x bytes", at, len(data))
	}
	f := &image{data: bytes.Clone(data), headers: make([]header, count)}
	r := bytes.NewReader(data[at:])
	if err := binary.Read(r, binary.LittleEndian, f.headers); err != nil {
		return nil, fmt.Errorf("probe: section headers: %w", err)
	}
	for i, h := range f.headers {
		if !h.noBits() && (h.Off > uint64(len(data)) || h.Size > uint64(len(data))-h.Off) {
			return nil, fmt.Errorf("probe: section %d: bytes %#x+%#x of a file of %#x", i, h.Off, h.Size, len(data))
		}
	}
	return f, nil
}

// section returns the bytes of section i, which must have some.
func (f *image) section(i int) []byte {
	h := f.headers[i]
	return f.data[h.Off : h.Off+h.Size]
}

// replace gives section i other bytes, at the end of the file.
func (f *image) replace(i int, b []byte) {
	for len(f.data)%128 != 0 {
		f.data = append(f.data, 0)
	}
	f.headers[i].Off, f.headers[i].Size = uint64(len(f.data)), uint64(len(b))
	f.data = append(f.data, b...)
}

// bytes writes the section headers after everything else.
func (f *image) bytes() []byte {
	for len(f.data)%8 != 0 {
		f.data = append(f.data, 0)
	}
	binary.LittleEndian.PutUint64(f.data[40:], uint64(len(f.data)))
	binary.LittleEndian.PutUint16(f.data[60:], uint16(len(f.headers)))
	out := bytes.NewBuffer(f.data)
	if err := binary.Write(out, binary.LittleEndian, f.headers); err != nil {
		panic(err) // of a fixed-size struct into memory
	}
	return out.Bytes()
}

// noBits reports whether a section has no bytes in the file.
func (h *header) noBits() bool {
	return (&cubin.Section{Type: cuda.SectionType(h.Type), Flags: cuda.SectionFlags(h.Flags)}).NoBits()
}

// first returns the first section of a type.
func (f *image) first(typ uint32) (int, error) {
	for i, h := range f.headers {
		if h.Type == typ {
			return i, nil
		}
	}
	return 0, fmt.Errorf("probe: no section of type %#x", typ)
}

// grow adds to the size of every function symbol of a symbol table that is kept
// in a section.
func (f *image) grow(table int, section uint16, by uint64) {
	const entry, function = 24, 2
	b := f.section(table)
	for ; len(b) >= entry; b = b[entry:] {
		if b[4]&15 == function && binary.LittleEndian.Uint16(b[6:]) == section {
			binary.LittleEndian.PutUint64(b[16:], binary.LittleEndian.Uint64(b[16:])+by)
		}
	}
}
