package mercury

import "github.com/twinlink/twinlink/cubin"

// lebReader reads bytes and LEB128 numbers; bad is set past the end.
type lebReader struct {
	b   []byte
	pos uint64
	bad bool
}

func (r *lebReader) byte() byte {
	b, ok := cubin.Window(r.b, r.pos, 1)
	if !ok {
		r.bad = true
		return 0
	}
	r.pos++
	return b[0]
}

func (r *lebReader) leb() (v uint64) {
	for shift := uint(0); ; shift += 7 {
		c := r.byte()
		if shift < 64 {
			v |= uint64(c&0x7f) << shift
		}
		if c&0x80 == 0 || r.bad {
			return min(v, 1<<32)
		}
	}
}

// sleb reads a signed number.
func (r *lebReader) sleb() (v int64) {
	for shift := uint(0); ; shift += 7 {
		c := r.byte()
		if shift < 64 {
			v |= int64(c&0x7f) << shift
		}
		if c&0x80 == 0 || r.bad {
			if shift+7 < 64 && c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}
