package dwarf

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
)

// A line section is units, each
//
//	u32 length of what follows
//	u16 version, 2 of releases up to 13.2, 3 from 13.3 on
//	u32 length of the rest of the header
//	u8 minimum instruction length, u8 default is_stmt, i8 line base, u8 line range, u8 opcode base
//	u8 operands of each standard opcode, folders and files
//	the program
//
// Standard opcodes are those of DWARF 2 and 3; extended ones besides are NVIDIA's:
//
//	0x90 inlined call     uleb context, uleb offset of a name in .debug_str
//	0x91 function name    u32 offset of a name in .debug_str, uleb
//	0x92 ?                u8: 1 before and 0 after a group of rows, in Mercury only
//
// Source: objects of ptxas 13.0.88 and 13.5.37 with -g and -lineinfo.

// Opcodes of a line program.
const (
	lnsCopy           = 1
	lnsAdvancePC      = 2
	lnsAdvanceLine    = 3
	lnsSetFile        = 4
	lnsSetColumn      = 5
	lnsNegateStmt     = 6
	lnsSetBasicBlock  = 7
	lnsConstAddPC     = 8
	lnsFixedAdvancePC = 9
	lnsPrologueEnd    = 10
	lnsEpilogueBegin  = 11
	lnsSetISA         = 12

	lneEndSequence  = 1
	lneSetAddress   = 2
	lneInlinedCall  = 0x90
	lneFunctionName = 0x91
	lneGroup        = 0x92
)

// LineOp is one operation. Code is a standard or special opcode, or 0 and then
// Ext the extended one with Data its operands.
type LineOp struct {
	At   uint64 // offset in the section
	Code uint8
	Ext  uint8
	U    uint64 // operand of the standard opcodes that have one
	S    int64  // operand of advance_line
	Data []byte
	// Width is the length of the LEB128: advance_pc is written as if it were
	// signed, 112 as f0 00.
	Width uint8
}

// LineUnit is one unit.
type LineUnit struct {
	At     uint64 // offset in the section
	Header []byte // from the version to the program
	Ops    []LineOp

	minInst, lineRange, opcodeBase uint8
	lineBase                       int8
	isStmt                         bool
}

// DecodeLines decodes a line section.
func DecodeLines(data []byte) ([]LineUnit, *capsule.Fault) {
	r := &reader{data: data}
	var units []LineUnit
	for r.more(uint64(len(data))) {
		u := LineUnit{At: r.pos}
		n := uint64(r.u32("a unit's length"))
		end := r.pos + n
		if end > uint64(len(data)) {
			r.fail(u.At, n, "a unit of that many bytes goes past the section")
			break
		}
		u.decodeHeader(r)
		for r.more(end) {
			u.Ops = append(u.Ops, u.decodeOp(r))
		}
		if r.fault == nil && r.pos != end {
			r.fail(end, r.pos, "an operation goes past its unit")
		}
		units = append(units, u)
	}
	return units, r.fault
}

func (u *LineUnit) decodeHeader(r *reader) {
	start := r.pos
	v := r.u16("a unit's version")
	if v != 2 && v != 3 && r.fault == nil {
		r.fail(start, uint64(v), "not version 2 or 3 of a line program")
	}
	n := uint64(r.u32("a unit's header length"))
	program := r.pos + n
	u.minInst = r.u8("a unit's header")
	u.isStmt = r.u8("a unit's header") != 0
	u.lineBase = int8(r.u8("a unit's header"))
	u.lineRange = r.u8("a unit's header")
	u.opcodeBase = r.u8("a unit's header")
	switch {
	case r.fault != nil:
		return
	case u.lineRange == 0:
		r.fail(start, 0, "a line range of 0")
	case u.opcodeBase != [...]uint8{lnsFixedAdvancePC + 1, lnsSetISA + 1}[v-2]:
		r.fail(start, uint64(u.opcodeBase), "not the opcode base of the version")
	case program < r.pos || program > uint64(len(r.data)):
		r.fail(start+2, n, "a unit's header goes past the section")
	default:
		u.Header, r.pos = r.data[start:program], program
	}
}

func (u *LineUnit) decodeOp(r *reader) LineOp {
	op := LineOp{At: r.pos}
	op.Code = r.u8("an opcode")
	if op.Code >= u.opcodeBase {
		return op
	}
	switch op.Code {
	case 0:
		n := r.uleb("an operation's length")
		op.Width = uint8(r.pos - op.At - 1)
		if n == 0 {
			r.fail(op.At, 0, "an extended operation without opcode")
			return op
		}
		op.Ext = r.u8("an extended opcode")
		op.Data = r.bytes(n-1, "an extended operation")
	case lnsAdvancePC, lnsSetFile, lnsSetColumn, lnsSetISA:
		op.U = r.uleb("an operand")
		op.Width = uint8(r.pos - op.At - 1)
	case lnsAdvanceLine:
		op.S = r.sleb("an operand")
		op.Width = uint8(r.pos - op.At - 1)
	case lnsFixedAdvancePC:
		op.U = uint64(r.u16("an operand"))
	}
	return op
}

// AppendLines appends the bytes of units.
func AppendLines(b []byte, units []LineUnit) []byte {
	for i := range units {
		start := len(b)
		b = append(b, 0, 0, 0, 0)
		b = append(b, units[i].Header...)
		for k := range units[i].Ops {
			b = units[i].Ops[k].append(b, units[i].opcodeBase)
		}
		binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	}
	return b
}

func (op *LineOp) append(b []byte, opcodeBase uint8) []byte {
	b = append(b, op.Code)
	if op.Code >= opcodeBase {
		return b
	}
	switch op.Code {
	case 0:
		b = append(appendLEB(b, uint64(len(op.Data))+1, op.Width), op.Ext)
		return append(b, op.Data...)
	case lnsAdvancePC, lnsSetFile, lnsSetColumn, lnsSetISA:
		return appendLEB(b, op.U, op.Width)
	case lnsAdvanceLine:
		return appendLEB(b, uint64(op.S), op.Width)
	case lnsFixedAdvancePC:
		return binary.LittleEndian.AppendUint16(b, uint16(op.U))
	}
	return b
}
