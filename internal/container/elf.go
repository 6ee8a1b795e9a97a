package container

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

const (
	elfHead     = 64
	elfSection  = 64
	elfSymbol   = 24
	shtNobits   = 8
	etRel       = 1
	etExec      = 2
	etDyn       = 3
	shnXindex   = 0xffff
	maxSections = 1 << 20
)

var elfMagic = []byte("\x7fELF")

// IsELF reports whether data begins as an ELF file does.
func IsELF(data []byte) bool { return len(data) >= 52 && bytes.HasPrefix(data, elfMagic) }

// IsDevice reports whether data begins as a cubin does: 64-bit little-endian
// ELF for NVIDIA's machine.
func IsDevice(data []byte) bool {
	return IsELF(data) && data[4] == 2 && data[5] == 1 && le16(data[18:]) == cuda.EMCuda
}

// elfFile is the frame of a 64-bit little-endian ELF file.
type elfFile struct {
	path     string
	data     []byte
	typ      uint16
	machine  uint16
	sections []elfSect
}

type elfSect struct {
	name      string
	typ       uint32
	off, size uint64
	link      uint32
}

func (f *elfFile) fault(k ErrorKind, off, value uint64, format string, args ...any) error {
	return &Error{Kind: k, Path: f.path, Offset: off, Value: value, Detail: fmt.Sprintf(format, args...)}
}

// openELF reads header and section table. Extents of sections are checked when
// their content is asked for.
func openELF(path string, data []byte) (*elfFile, error) {
	f := &elfFile{path: path, data: data}
	head, ok := window(data, 0, elfHead)
	switch {
	case !ok || !IsELF(data):
		return nil, f.fault(Unrecognized, 0, uint64(len(data)), "no ELF header")
	case head[4] != 2:
		return nil, f.fault(Unsupported, 4, uint64(head[4]), "not a 64-bit ELF file")
	case head[5] != 1:
		return nil, f.fault(Unsupported, 5, uint64(head[5]), "not a little-endian ELF file")
	}
	f.typ, f.machine = le16(head[16:]), le16(head[18:])
	shoff, count, strndx := le64(head[40:]), uint64(le16(head[60:])), uint64(le16(head[62:]))
	if shoff == 0 {
		return f, nil
	}
	if size := le16(head[58:]); size != elfSection {
		return nil, f.fault(BadHeader, 58, uint64(size), "e_shentsize is not 64")
	}
	first, ok := window(data, shoff, elfSection)
	if !ok {
		return nil, f.fault(OutOfBounds, 40, shoff, "the section table lies outside the file")
	}
	if count == 0 { // more sections than the field holds
		count = le64(first[32:])
	}
	if strndx == shnXindex {
		strndx = uint64(le32(first[40:]))
	}
	table, ok := window(data, shoff, count*elfSection)
	if count > maxSections || !ok {
		return nil, f.fault(OutOfBounds, 60, count, "the section table lies outside the file")
	}
	if strndx >= count {
		return nil, f.fault(BadHeader, 62, strndx, "e_shstrndx is not a section")
	}
	str := table[strndx*elfSection:]
	names, ok := window(data, le64(str[24:]), le64(str[32:]))
	if !ok {
		return nil, f.fault(OutOfBounds, shoff+strndx*elfSection, le64(str[24:]), "the sections' names lie outside the file")
	}
	f.sections = make([]elfSect, count)
	for i := range f.sections {
		h := table[i*elfSection:]
		name, ok := cString(names, uint64(le32(h)))
		if !ok {
			return nil, f.fault(OutOfBounds, shoff+uint64(i)*elfSection, uint64(le32(h)), "a section's name lies outside the names")
		}
		f.sections[i] = elfSect{name: name, typ: le32(h[4:]), off: le64(h[24:]), size: le64(h[32:]), link: le32(h[40:])}
	}
	return f, nil
}

// content returns a section's bytes.
func (f *elfFile) content(s *elfSect) ([]byte, error) {
	if s.typ == shtNobits {
		return nil, nil
	}
	data, ok := window(f.data, s.off, s.size)
	if !ok {
		return nil, f.fault(OutOfBounds, s.off, s.size, "section %s lies outside the file", s.name)
	}
	return data, nil
}
