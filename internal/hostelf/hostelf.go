// Package hostelf makes x86-64 ELF files of named sections: as much of a host
// object or program as nvlink and twinlink look at.
package hostelf

import "encoding/binary"

// Types of a file, e_type.
const (
	Object  = 1 // ET_REL
	Program = 2 // ET_EXEC
	Shared  = 3 // ET_DYN
)

// Section is an allocated section with contents (SHT_PROGBITS).
type Section struct {
	Name string
	Data []byte
}

// Encode returns an ELF file of a type with sections in that order, each
// aligned to 16 bytes, and with their names.
func Encode(typ uint16, sections ...Section) []byte {
	const headerSize = 64 // of the file and of a section alike
	le := binary.LittleEndian
	names := []byte{0}
	out, headers := make([]byte, headerSize), make([]byte, headerSize)
	place := func(name uint32, kind uint32, flags uint64, data []byte) {
		for len(out)%16 != 0 {
			out = append(out, 0)
		}
		h := make([]byte, headerSize)
		le.PutUint32(h, name)
		le.PutUint32(h[4:], kind)
		le.PutUint64(h[8:], flags)
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], uint64(len(data)))
		le.PutUint64(h[48:], 16)
		out, headers = append(out, data...), append(headers, h...)
	}
	named := func(name string) uint32 {
		at := len(names)
		names = append(append(names, name...), 0)
		return uint32(at)
	}
	for _, s := range sections {
		place(named(s.Name), 1, 2, s.Data) // SHT_PROGBITS, SHF_ALLOC
	}
	place(named(".shstrtab"), 3, 0, names) // SHT_STRTAB
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], typ)
	le.PutUint16(out[18:], 62) // EM_X86_64
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[52:], headerSize)
	le.PutUint16(out[58:], headerSize)
	le.PutUint16(out[60:], uint16(len(headers)/headerSize))
	le.PutUint16(out[62:], uint16(len(headers)/headerSize-1))
	return append(out, headers...)
}
