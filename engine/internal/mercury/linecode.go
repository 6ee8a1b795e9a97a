package mercury

import (
	"encoding/binary"
)

// Line program sequences whose code moved. Rows are written as ptxas writes
// them: a row 16 bytes on with a small step of lines is one special opcode; any
// other is an advance of lines, an advance of addresses unless that is 0, and a
// copy. All numbers are written as signed ones, those of addresses too.

// Standard opcodes.
const (
	lineCopy        = 1
	lineAdvanceAddr = 2
	lineAdvanceLine = 3
	lineConstAddr   = 8
)

// lineShape is what a unit's header says of its special opcodes.
type lineShape struct {
	base     int8 // lowest step of lines
	width    byte
	opcode   byte // the first special one
	operands []byte
}

// moveLines rewrites a sequence; move translates addresses.
func (s *lineShape) moveLines(b []byte, move func(uint64) uint64) ([]byte, bool) {
	var out []byte
	r := lebReader{b: b}
	addr, last := uint64(0), move(0) // of the input; of the output, written
	step, steps := int64(0), false   // lines not written, and whether the row steps
	row := func() {
		to := move(addr)
		if steps {
			out = s.appendRow(out, step, to-last)
		} else {
			if to != last {
				out = appendSleb(append(out, lineAdvanceAddr), int64(to-last))
			}
			out = append(out, lineCopy)
		}
		last, step, steps = to, 0, false
	}
	for r.pos < uint64(len(b)) {
		from := r.pos
		switch op := r.byte(); {
		case op == lineExtended:
			n := r.leb()
			at := r.pos
			if r.byte() == lineEnd {
				if to := move(addr); to != last {
					out = appendSleb(append(out, lineAdvanceAddr), int64(to-last))
				}
			}
			r.pos = at + n
			if r.bad || r.pos > uint64(len(b)) {
				return nil, false
			}
			out = append(out, b[from:r.pos]...)
		case op >= s.opcode:
			if s.width == 0 {
				return nil, false
			}
			addr += uint64((op - s.opcode) / s.width)
			step += int64(s.base) + int64((op-s.opcode)%s.width)
			steps = true
			row()
		case op == lineCopy:
			row()
		case op == lineAdvanceAddr:
			addr += r.leb()
		case op == lineAdvanceLine:
			step += r.sleb()
			steps = true
		case op == lineConstAddr && s.width > 0:
			addr += uint64((255 - s.opcode) / s.width)
		case op == lineFixedAdvance:
			if r.pos+2 > uint64(len(b)) {
				return nil, false
			}
			addr += uint64(binary.LittleEndian.Uint16(b[r.pos:]))
			r.pos += 2
		default:
			for range s.operands[op-1] {
				r.leb()
			}
			out = append(out, b[from:min(r.pos, uint64(len(b)))]...)
		}
		if r.bad {
			return nil, false
		}
	}
	return out, true
}

// instruction is how far a special opcode of ptxas goes.
const instruction = 16

func (s *lineShape) appendRow(out []byte, step int64, by uint64) []byte {
	if k := step - int64(s.base); by == instruction && k >= 0 && k < int64(s.width) {
		if op := k + int64(s.width)*instruction + int64(s.opcode); op <= 255 {
			return append(out, byte(op))
		}
	}
	out = appendSleb(append(out, lineAdvanceLine), step)
	if by != 0 {
		out = appendSleb(append(out, lineAdvanceAddr), int64(by))
	}
	return append(out, lineCopy)
}

func appendSleb(b []byte, v int64) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
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

// lastRows rewrites a sequence so that of the rows at one address only the last
// stays, and the end is where the last row is.
func (s *lineShape) lastRows(b []byte) ([]byte, bool) {
	var out []byte
	r := lebReader{b: b}
	addr, last := uint64(0), uint64(0)
	step := int64(0) // lines since the row before
	held, heldAt, heldStep := false, uint64(0), int64(0)
	flush := func() {
		if held {
			out = s.appendRow(out, heldStep, heldAt-last)
			last, held = heldAt, false
		}
	}
	row := func() {
		if held && heldAt == addr {
			step += heldStep
		} else {
			flush()
		}
		held, heldAt, heldStep, step = true, addr, step, 0
	}
	for r.pos < uint64(len(b)) {
		from := r.pos
		switch op := r.byte(); {
		case op == lineExtended:
			n := r.leb()
			at := r.pos
			sub := r.byte()
			r.pos = at + n
			if r.bad || r.pos > uint64(len(b)) {
				return nil, false
			}
			if sub == lineEnd {
				flush()
			}
			if sub != lineInlinedRows {
				out = append(out, b[from:r.pos]...)
			}
		case op >= s.opcode:
			if s.width == 0 {
				return nil, false
			}
			addr += uint64((op - s.opcode) / s.width)
			step += int64(s.base) + int64((op-s.opcode)%s.width)
			row()
		case op == lineCopy:
			row()
		case op == lineAdvanceAddr:
			addr += r.leb()
		case op == lineAdvanceLine:
			step += r.sleb()
		case op == lineConstAddr && s.width > 0:
			addr += uint64((255 - s.opcode) / s.width)
		case op == lineFixedAdvance:
			if r.pos+2 > uint64(len(b)) {
				return nil, false
			}
			addr += uint64(binary.LittleEndian.Uint16(b[r.pos:]))
			r.pos += 2
		default:
			for range s.operands[op-1] {
				r.leb()
			}
			out = append(out, b[from:min(r.pos, uint64(len(b)))]...)
		}
		if r.bad {
			return nil, false
		}
	}
	return out, true
}

// lineInlinedRows is the extended opcode that brackets groups of rows on the
// Mercury side.
const lineInlinedRows = 0x92
