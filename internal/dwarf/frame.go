package dwarf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/twinlink/twinlink/capsule"
)

// .debug_frame is entries of 64-bit DWARF:
//
//	u32 0xffffffff, u64 length of what follows
//	u64 id: 0xffffffffffffffff of a CIE, else the offset of the FDE's CIE
//	CIE  u8 version 3, string augmentation, uleb code alignment, sleb data alignment, uleb return register
//	FDE  u64 initial location, u64 length of the function
//	instructions, padded with nop
//
// The code alignment is 4 in SASS and 1 in Mercury. Entries of 32-bit DWARF are
// read too; no tool was seen to write one.
//
// Source: objects of ptxas 13.0.88 and 13.5.37.

// Call frame instructions that a reader has to know to find the next. The upper
// two bits of an opcode, where set, are the opcode, and the lower six an operand.
const (
	cfaAdvance       = 1 << 6
	cfaOffset        = 2 << 6
	cfaRestore       = 3 << 6
	cfaNop           = 0x00
	cfaSetLoc        = 0x01
	cfaAdvance1      = 0x02
	cfaAdvance2      = 0x03
	cfaAdvance4      = 0x04
	cfaRemember      = 0x0a
	cfaRestoreState  = 0x0b
	cfaDefExpression = 0x0f
)

// cfaOperands is the number of LEB128 operands of the other opcodes; an
// operand of -1 is a block.
var cfaOperands = map[uint8][]int{
	0x05: {0, 0}, 0x06: {0}, 0x07: {0}, 0x08: {0}, 0x09: {0, 0}, 0x0c: {0, 0}, 0x0d: {0}, 0x0e: {0},
	cfaDefExpression: {-1}, 0x10: {0, -1}, 0x11: {0, 0}, 0x12: {0, 0}, 0x13: {0}, 0x14: {0, 0}, 0x15: {0, 0}, 0x16: {0, -1},
}

// FrameOp is a call frame instruction with its operands, or all nops in a row.
type FrameOp struct {
	At      uint64 // offset in the section
	Advance bool
	Delta   int64  // of an advance, times the code alignment; advance_loc4 is taken as signed
	Bytes   []byte // as it is written
}

// Frame is a CIE or an FDE.
type Frame struct {
	At      uint64 // offset in the section
	Wide    bool   // 64-bit DWARF
	CIE     uint64 // offset of an FDE's CIE, where no relocation fills it; NoCIE for a CIE itself
	Head    []byte // of a CIE: from the version to the instructions
	Start   uint64 // of an FDE: what stands for the initial location
	Length  uint64 // of an FDE: of the function
	Program []byte // the instructions
	start   uint64 // of the program, in the section
	codeLen uint64 // code alignment
}

// NoCIE is the id of a CIE.
const NoCIE = ^uint64(0)

// IsCIE reports whether the entry is a CIE.
func (f *Frame) IsCIE() bool { return f.CIE == NoCIE }

// CodeAlignment returns the code alignment factor of a CIE, or of an FDE's.
func (f *Frame) CodeAlignment() uint64 { return f.codeLen }

// CIEPointer returns the offset in the section of an entry's id.
func (f *Frame) CIEPointer() uint64 {
	if f.Wide {
		return f.At + 12
	}
	return f.At + 4
}

// Location returns the offset in the section of an FDE's initial location,
// which a relocation fills.
func (f *Frame) Location() uint64 {
	if f.Wide {
		return f.At + 20
	}
	return f.At + 8
}

// DecodeFrames decodes a section of call frames.
func DecodeFrames(data []byte) ([]Frame, *capsule.Fault) {
	r := &reader{data: data}
	list := make([]Frame, 0, min(countEntries(data), len(data)/leastEntry))
	latest := -1        // the last CIE
	var sound [2][]byte // the last programs of an FDE and of a CIE: most are those of the one before
	for r.more(uint64(len(data))) {
		f := Frame{At: r.pos}
		n := uint64(r.u32("an entry's length"))
		if f.Wide = n == 0xffffffff; f.Wide {
			n = r.u64("an entry's length")
		}
		if left := uint64(len(data)) - r.pos; r.fault == nil && n > left {
			r.fail(f.At, n, "an entry of that many bytes goes past the section")
		}
		if r.fault != nil {
			break
		}
		end := r.pos + n
		f.decodeHead(r)
		last := &sound[0]
		if f.IsCIE() {
			latest, last = len(list), &sound[1]
		} else if latest >= 0 {
			f.codeLen = list[cieOf(list, &f, latest)].codeLen
		}
		f.start = r.pos
		if r.pos <= end {
			f.Program = data[r.pos:end:end]
		}
		if f.Program != nil && bytes.Equal(f.Program, *last) {
			r.pos = end
		}
		for r.more(end) {
			decodeFrameOp(r, 0, end)
		}
		if r.fault == nil && r.pos != end {
			r.fail(end, r.pos, "an instruction goes past its entry")
		}
		*last = f.Program
		list = append(list, f)
	}
	return list, r.fault
}

// cieOf returns the CIE of an FDE that follows the entries of a list: the one that it
// points at, or the last where a relocation fills the pointer.
func cieOf(list []Frame, f *Frame, latest int) int {
	if list[latest].At == f.CIE {
		return latest
	}
	i, found := slices.BinarySearchFunc(list, f.CIE, func(x Frame, at uint64) int { return cmp.Compare(x.At, at) })
	if found && list[i].IsCIE() {
		return i
	}
	return latest
}

// leastEntry is the size of an FDE without instructions; a CIE may be smaller.
const leastEntry = 24

// countEntries returns the number of entries, or of those before a malformed one.
func countEntries(data []byte) (n int) {
	for len(data) >= 4 {
		head, size := uint64(4), uint64(binary.LittleEndian.Uint32(data))
		if size == 0xffffffff && len(data) >= 12 {
			head, size = 12, binary.LittleEndian.Uint64(data[4:])
		}
		if size > uint64(len(data))-head {
			return n
		}
		n++
		data = data[head+size:]
	}
	return n
}

func (f *Frame) decodeHead(r *reader) {
	if f.Wide {
		f.CIE = r.u64("an entry's id")
	} else if f.CIE = uint64(r.u32("an entry's id")); f.CIE == 0xffffffff {
		f.CIE = NoCIE
	}
	if !f.IsCIE() {
		f.Start = r.u64("an initial location")
		f.Length = r.u64("a function's length")
		return
	}
	start := r.pos
	r.u8("a version")
	r.name("an augmentation")
	f.codeLen = r.uleb("a code alignment")
	r.sleb("a data alignment")
	r.uleb("a return register")
	if r.fault == nil {
		f.Head = r.data[start:r.pos]
	}
}

func decodeFrameOp(r *reader, factor, end uint64) FrameOp {
	op := FrameOp{At: r.pos}
	code := r.u8("an instruction")
	switch code & 0xc0 {
	case cfaAdvance:
		op.Advance, op.Delta = true, int64(uint64(code&0x3f)*factor)
	case cfaOffset:
		r.uleb("an operand")
	case cfaRestore:
	default:
		switch code {
		case cfaAdvance1:
			op.Advance, op.Delta = true, int64(uint64(r.u8("an operand"))*factor)
		case cfaAdvance2:
			op.Advance, op.Delta = true, int64(uint64(r.u16("an operand"))*factor)
		case cfaAdvance4:
			op.Advance, op.Delta = true, int64(int32(r.u32("an operand")))*int64(factor)
		case cfaSetLoc:
			r.u64("an operand")
		case cfaNop:
			for r.more(end) && r.data[r.pos] == cfaNop {
				r.pos++
			}
		case cfaRemember, cfaRestoreState:
		default:
			operands, ok := cfaOperands[code]
			if !ok {
				r.fail(op.At, uint64(code), "no call frame instruction")
			}
			for _, kind := range operands {
				if n := r.uleb("an operand"); kind < 0 {
					r.bytes(n, "a block")
				}
			}
		}
	}
	if r.fault == nil {
		op.Bytes = r.data[op.At:r.pos]
	}
	return op
}

// AppendFrames appends the bytes of entries.
func AppendFrames(b []byte, list []Frame) []byte {
	le := binary.LittleEndian
	for i := range list {
		f := &list[i]
		start := len(b)
		if f.Wide {
			b = append(b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
			b = le.AppendUint64(b, f.CIE)
		} else {
			b = append(b, 0, 0, 0, 0)
			b = le.AppendUint32(b, uint32(f.CIE))
		}
		if f.IsCIE() {
			b = append(b, f.Head...)
		} else {
			b = le.AppendUint64(b, f.Start)
			b = le.AppendUint64(b, f.Length)
		}
		b = append(b, f.Program...)
		if f.Wide {
			le.PutUint64(b[start+4:], uint64(len(b)-start-12))
		} else {
			le.PutUint32(b[start:], uint32(len(b)-start-4))
		}
	}
	return b
}

// Rule is what an FDE says from an address on.
type Rule struct {
	Addr int64  // relative to the function's start
	At   uint64 // offset in the section
	Op   []byte // the instruction
	// Step counts the advances before the instruction.
	Step int
}

// Ops returns the instructions of an entry.
func (f *Frame) Ops() iter.Seq[FrameOp] {
	return func(yield func(FrameOp) bool) {
		for r := (&reader{data: f.Program}); r.more(uint64(len(f.Program))); {
			op := decodeFrameOp(r, f.codeLen, uint64(len(f.Program)))
			op.At += f.start
			if !yield(op) {
				return
			}
		}
	}
}

// Rules runs the instructions of an entry and appends them to a list; the nops that
// pad it are omitted. It returns the address after the last advance, too, and the number of
// advances.
func (f *Frame) Rules(list []Rule) (all []Rule, addr int64, steps int) {
	for op := range f.Ops() {
		switch {
		case op.Advance:
			addr += op.Delta
			steps++
		case op.Bytes[0] == cfaNop:
		default:
			list = append(list, Rule{addr, op.At, op.Bytes, steps})
		}
	}
	return list, addr, steps
}
