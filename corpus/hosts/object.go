package hosts

import (
	"encoding/binary"
	"strings"
)

// object is a host object as far as nvlink looks at it.
type object struct {
	id      string
	fatbin  []byte
	refers  bool // the sections that say what the host refers to are there
	kernels []string
}

// encode makes a relocatable ELF file for x86-64.
func (o *object) encode() []byte {
	type section struct {
		name string
		data []byte
	}
	list := []section{{"__nv_module_id", []byte(o.id + "\x00")}, {"__nv_relfatbin", o.fatbin}, {".nvFatBinSegment", make([]byte, 24)}}
	if o.refers {
		names := []byte(strings.Join(o.kernels, "\x00") + "\x00")
		for _, kind := range []string{"KI", "KE", "DI", "DE", "CI", "CE"} {
			data := []byte{0}
			if kind == "KE" {
				data = names
			}
			list = append(list, section{".nvHR" + kind, data})
		}
	}
	le := binary.LittleEndian
	strtab := []byte{0}
	out := make([]byte, 64)
	headers := make([]byte, 64)
	add := func(name string, kind, flags uint64, data []byte) {
		for len(out)%16 != 0 {
			out = append(out, 0)
		}
		h := make([]byte, 64)
		le.PutUint32(h, uint32(len(strtab)))
		strtab = append(strtab, name+"\x00"...)
		le.PutUint32(h[4:], uint32(kind))
		le.PutUint64(h[8:], flags)
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], uint64(len(data)))
		le.PutUint64(h[48:], 16)
		out = append(out, data...)
		headers = append(headers, h...)
	}
	for _, s := range list {
		add(s.name, 1, 2, s.data)
	}
	add(".shstrtab", 3, 0, append(strtab, ".shstrtab\x00"...))
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], 1)  // ET_REL
	le.PutUint16(out[18:], 62) // EM_X86_64
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[52:], 64)
	le.PutUint16(out[58:], 64)
	le.PutUint16(out[60:], uint16(len(headers)/64))
	le.PutUint16(out[62:], uint16(len(headers)/64-1))
	return append(out, headers...)
}
