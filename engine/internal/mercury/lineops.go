package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
)

// Opcodes of a line program.
const (
	lineExtended     = 0 // uleb length, opcode, operands
	lineCopy         = 1
	lineAdvanceAddr  = 2
	lineAdvanceLine  = 3
	lineConstAddr    = 8
	lineFixedAdvance = 9 // the one standard opcode whose operand is no leb: u16
)

// Extended opcodes.
const (
	lineEnd         = 1
	lineSetAddress  = 2
	lineInlinedRows = 0x92 // brackets groups of rows on the Mercury side
)

// lineShape is what a unit's header says of its opcodes.
type lineShape struct {
	base     int8 // lowest step of lines of a special opcode
	width    byte // how many there are
	opcode   byte // the first special one
	operands []byte
}

// lineKind says what an opcode does.
type lineKind uint8

const (
	lineMoves lineKind = iota // moves address or line
	lineRow                   // ends a row, and perhaps moves before
	lineSays                  // extended
	lineOther                 // anything else, such as a file or a flag
)

// lineOp is an opcode with its operands.
type lineOp struct {
	kind    lineKind
	sub     byte   // the extended opcode
	operand uint64 // where its operand begins in the program
	addr    uint64 // what is added to the address
	step    int64  // what is added to the line
	steps   bool   // something is, if only 0
	wrong   bool   // a special opcode where the header has none
	bytes   []byte
}

// next reads an opcode; ok is false where the program ends within it.
func (s *lineShape) next(r *lebReader) (op lineOp, ok bool) {
	from := r.pos
	switch code := r.byte(); {
	case code == lineExtended:
		n := r.leb()
		at := r.pos
		op.kind, op.sub = lineSays, r.byte()
		op.operand = r.pos
		r.pos = at + n
	case code >= s.opcode:
		op.kind, op.steps, op.wrong = lineRow, true, s.width == 0
		if !op.wrong {
			op.addr = uint64((code - s.opcode) / s.width)
			op.step = int64(s.base) + int64((code-s.opcode)%s.width)
		}
	case code == lineCopy:
		op.kind = lineRow
	case code == lineAdvanceAddr:
		op.addr = r.leb()
	case code == lineAdvanceLine:
		op.step, op.steps = r.sleb(), true
	case code == lineConstAddr && s.width > 0:
		op.addr = uint64((255 - s.opcode) / s.width)
	case code == lineFixedAdvance:
		if b, fits := cubin.Window(r.b, r.pos, 2); fits {
			op.addr = uint64(binary.LittleEndian.Uint16(b))
		}
		r.pos += 2
	default:
		op.kind = lineOther
		for range s.operands[code-1] {
			r.leb()
		}
	}
	if r.bad || r.pos > uint64(len(r.b)) {
		return op, false
	}
	op.bytes = r.b[from:r.pos]
	return op, true
}
