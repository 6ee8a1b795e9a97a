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
	End      bool // after the last instruction of the sequence
}

// Same reports whether two rows say the same but for their address.
func (r *Row) Same(o *Row) bool {
	return r.Line == o.Line && r.File == o.File && r.Column == o.Column && r.Context == o.Context && r.Function == o.Function &&
		r.Stmt == o.Stmt && r.Block == o.Block && r.End == o.End
}

// Sequence is the rows of one function.
type Sequence struct {
	Operand uint64 // offset in the section of the operand of set_address, which a relocation fills
	Base    uint64 // what is there
	Rows    []Row
}

// Sequences runs a unit's program. Rows before a set_address make a
// sequence with operand 0.
func (u *LineUnit) Sequences() []Sequence {
	start := Row{File: 1, Line: 1, Stmt: u.isStmt}
	run := lineRun{unit: u, start: start, row: start}
	for i := range u.Ops {
		run.step(&u.Ops[i])
	}
	if len(run.seq.Rows) > 0 {
		run.done = append(run.done, run.seq)
	}
	return run.done
}

// lineRun is the machine of a line number program.
type lineRun struct {
	unit  *LineUnit
	start Row
	row   Row
	seq   Sequence
	done  []Sequence
}

// emit appends the row as it stands.
func (r *lineRun) emit(at uint64) {
	r.row.At = at
	r.seq.Rows = append(r.seq.Rows, r.row)
	r.row.Block = false
}

func (r *lineRun) step(op *LineOp) {
	switch u := r.unit; {
	case op.Code >= u.opcodeBase:
		special := op.Code - u.opcodeBase
		r.advance(uint64(special / u.lineRange))
		r.row.Line += int64(u.lineBase) + int64(special%u.lineRange)
		r.emit(op.At)
	case op.Code == 0:
		r.extended(op)
	default:
		r.standard(op)
	}
}

// advance moves the address by instructions of the least length.
func (r *lineRun) advance(n uint64) { r.row.Addr += n * uint64(r.unit.minInst) }

func (r *lineRun) standard(op *LineOp) {
	switch op.Code {
	case lnsCopy:
		r.emit(op.At)
	case lnsAdvancePC:
		r.advance(op.U)
	case lnsAdvanceLine:
		r.row.Line += op.S
	case lnsSetFile:
		r.row.File = op.U
	case lnsSetColumn:
		r.row.Column = op.U
	case lnsNegateStmt:
		r.row.Stmt = !r.row.Stmt
	case lnsSetBasicBlock:
		r.row.Block = true
	case lnsConstAddPC:
		r.advance(uint64((255 - r.unit.opcodeBase) / r.unit.lineRange))
	case lnsFixedAdvancePC:
		r.row.Addr += op.U
	}
}

// extended runs DWARF's extended operations and NVIDIA's.
func (r *lineRun) extended(op *LineOp) {
	switch op.Ext {
	case lneEndSequence:
		r.row.End = true
		r.emit(op.At)
		r.done = append(r.done, r.seq)
		r.row, r.seq = r.start, Sequence{}
	case lneSetAddress:
		if len(op.Data) == 8 {
			r.seq.Base = binary.LittleEndian.Uint64(op.Data)
			r.seq.Operand = op.At + 3
			r.row.Addr = r.seq.Base
		}
	case lneInlinedCall:
		in := reader{data: op.Data}
		r.row.Context = in.uleb("")
		r.row.Function = in.uleb("")
	case lneGroup:
		r.row.Group = len(op.Data) > 0 && op.Data[0] != 0
	case lneFunctionName:
		in := reader{data: op.Data}
		r.row.Function = in.uleb("")
	}
}
