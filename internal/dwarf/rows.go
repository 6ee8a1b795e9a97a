package dwarf

import "encoding/binary"

// Row is a line of the table that a line program makes.
type Row struct {
	Addr     uint64
	Line     int64
	File     uint64
	Column   uint64
	Context  uint64 // of an inlined call
	Function uint64 // offset of its name in .debug_str
	At       uint64 // offset of the operation that made the row
	Stmt     bool
	Block    bool
	Group    bool // inside a pair of NVIDIA's operations 0x92
	End      bool // behind the last instruction of the sequence
}

// Same reports whether two rows say the same but for their address.
func (r *Row) Same(o *Row) bool {
	return r.Line == o.Line && r.File == o.File && r.Column == o.Column && r.Context == o.Context && r.Function == o.Function &&
		r.Stmt == o.Stmt && r.Block == o.Block && r.End == o.End
}

// Sequence is the rows of one function.
type Sequence struct {
	Operand uint64 // offset in the section of the operand of set_address, which a relocation fills
	Base    uint64 // what stands there
	Rows    []Row
}

// Sequences runs a unit's program. Rows in front of a set_address make a
// sequence with operand 0.
func (u *LineUnit) Sequences() []Sequence {
	var out []Sequence
	start := Row{File: 1, Line: 1, Stmt: u.isStmt}
	row, seq := start, Sequence{}
	emit := func(at uint64) {
		row.At = at
		seq.Rows = append(seq.Rows, row)
		row.Block = false
	}
	for i := range u.Ops {
		op := &u.Ops[i]
		if op.Code >= u.opcodeBase {
			special := op.Code - u.opcodeBase
			row.Addr += uint64(special/u.lineRange) * uint64(u.minInst)
			row.Line += int64(u.lineBase) + int64(special%u.lineRange)
			emit(op.At)
			continue
		}
		switch op.Code {
		case lnsCopy:
			emit(op.At)
		case lnsAdvancePC:
			row.Addr += op.U * uint64(u.minInst)
		case lnsAdvanceLine:
			row.Line += op.S
		case lnsSetFile:
			row.File = op.U
		case lnsSetColumn:
			row.Column = op.U
		case lnsNegateStmt:
			row.Stmt = !row.Stmt
		case lnsSetBasicBlock:
			row.Block = true
		case lnsConstAddPC:
			row.Addr += uint64((255-u.opcodeBase)/u.lineRange) * uint64(u.minInst)
		case lnsFixedAdvancePC:
			row.Addr += op.U
		case 0:
			switch op.Ext {
			case lneEndSequence:
				row.End = true
				emit(op.At)
				out = append(out, seq)
				row, seq = start, Sequence{}
			case lneSetAddress:
				if len(op.Data) == 8 {
					seq.Base = binary.LittleEndian.Uint64(op.Data)
					seq.Operand = op.At + 3
					row.Addr = seq.Base
				}
			case lneInlinedCall:
				r := reader{data: op.Data}
				row.Context = r.uleb("")
				row.Function = r.uleb("")
			case lneGroup:
				row.Group = len(op.Data) > 0 && op.Data[0] != 0
			case lneFunctionName:
				r := reader{data: op.Data}
				row.Function = r.uleb("")
			}
		}
	}
	if len(seq.Rows) > 0 {
		out = append(out, seq)
	}
	return out
}
