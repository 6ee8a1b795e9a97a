package dwarf

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// reader takes values from a section until one is cut short, of which it keeps
// note.
type reader struct {
	data  []byte
	pos   uint64
	fault *capsule.Fault
}

func (r *reader) fail(off, value uint64, detail string) {
	if r.fault == nil {
		r.fault = &capsule.Fault{Kind: cubin.BadRecord, Offset: off, Value: value, Detail: detail}
	}
}

// more reports whether there is something before end.
func (r *reader) more(end uint64) bool { return r.fault == nil && r.pos < end }

func (r *reader) bytes(n uint64, what string) []byte {
	if r.fault != nil {
		return nil
	}
	b, ok := cubin.Window(r.data, r.pos, n)
	if !ok {
		r.fail(r.pos, n, what+" goes past the section")
		return nil
	}
	r.pos += n
	return b
}

func (r *reader) u8(what string) uint8 {
	if !r.more(uint64(len(r.data))) {
		r.bytes(1, what) // says what is wrong
		return 0
	}
	r.pos++
	return r.data[r.pos-1]
}

func (r *reader) u16(what string) uint16 {
	if b := r.bytes(2, what); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32(what string) uint32 {
	if b := r.bytes(4, what); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64(what string) uint64 {
	if b := r.bytes(8, what); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// uleb reads an unsigned LEB128 of at most 64 bits.
func (r *reader) uleb(what string) uint64 {
	start, v := r.pos, uint64(0)
	for shift := uint(0); ; shift += 7 {
		b := r.u8(what)
		if r.fault != nil {
			return 0
		}
		if shift > 63 || shift == 63 && b > 1 {
			r.fail(start, v, what+" has more than 64 bits")
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

// sleb reads a signed LEB128 of at most 64 bits.
func (r *reader) sleb(what string) int64 {
	start, v := r.pos, int64(0)
	for shift := uint(0); ; shift += 7 {
		b := r.u8(what)
		if r.fault != nil {
			return 0
		}
		if shift > 63 {
			r.fail(start, uint64(v), what+" has more than 64 bits")
			return 0
		}
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if shift += 7; b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// name reads a NUL-terminated string.
func (r *reader) name(what string) string {
	start := r.pos
	for r.more(uint64(len(r.data))) {
		if r.data[r.pos] == 0 {
			s := string(r.data[start:r.pos])
			r.pos++
			return s
		}
		r.pos++
	}
	r.fail(start, uint64(len(r.data)), what+" has no end")
	return ""
}

// appendLEB appends the low bits of v as a LEB128 of so many bytes.
func appendLEB(b []byte, v uint64, width uint8) []byte {
	for ; width > 1; width-- {
		b = append(b, byte(v)|0x80)
		v = uint64(int64(v) >> 7)
	}
	return append(b, byte(v)&0x7f)
}
