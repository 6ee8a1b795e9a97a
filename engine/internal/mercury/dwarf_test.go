package mercury

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// Numbers as the DWARF standard's examples have them, and those at the ends of what is read.
func TestLEB(t *testing.T) {
	for _, c := range []struct {
		bytes  string
		value  uint64
		signed int64
		pos    uint64
		bad    bool
	}{
		{"\x02", 2, 2, 1, false}, {"\x7f", 127, -1, 1, false}, {"\x80\x01", 128, 128, 2, false}, {"\x81\x01", 129, 129, 2, false}, {"\xb9\x64", 12857, -3527, 2, false},
		{"\xff\x00", 127, 127, 2, false}, {"\x81\x7f", 16257, -127, 2, false}, {"\x7e", 126, -2, 1, false}, {"\x40", 64, -64, 1, false}, {"\x3f", 63, 63, 1, false},
		{"\x80\x80\x80\x80\x10", 1 << 32, 1 << 32, 5, false}, {"\xff\xff\xff\xff\x0f", 1<<32 - 1, 1<<32 - 1, 5, false}, {"\x81\x80\x80\x80\x10", 1 << 32, 1<<32 + 1, 5, false},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1 << 32, -1 << 63, 10, false}, {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 0, 0, 11, false},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 1 << 32, -1, 10, false},
		{"", 0, 0, 0, true}, {"\x80", 0, 0, 1, true}, {"\x81", 1, 1, 1, true},
	} {
		r := lebReader{b: []byte(c.bytes)}
		if v := r.leb(); v != c.value || r.pos != c.pos || r.bad != c.bad {
			t.Errorf("% x is %d up to %d, bad %v, want %d", c.bytes, v, r.pos, r.bad, c.value)
		}
		r = lebReader{b: []byte(c.bytes)}
		if v := r.sleb(); v != c.signed || r.pos != c.pos || r.bad != c.bad {
			t.Errorf("% x, signed, is %d up to %d, bad %v, want %d", c.bytes, v, r.pos, r.bad, c.signed)
		}
	}
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, -128, 8191, 8192, -8192, -8193, 1 << 40, -1 << 40} {
		b := appendSleb([]byte("x"), v)
		r := lebReader{b: b, pos: 1}
		if got := r.sleb(); got != v || r.pos != uint64(len(b)) {
			t.Errorf("%d is written as % x", v, b[1:])
		}
	}
	for v, want := range map[int64]string{2: "\x02", -2: "\x7e", 127: "\xff\x00", -127: "\x81\x7f", 128: "\x80\x01", -128: "\x80\x7f", 129: "\x81\x01"} {
		if got := appendSleb(nil, v); string(got) != want {
			t.Errorf("%d is written as % x, want % x", v, got, want)
		}
	}
}

// ptxasLines is the shape of ptxas' line programs: steps of lines from -5 on, 14 of them, from opcode 10 on.
var ptxasLines = lineShape{base: -5, width: 14, opcode: 10, operands: []byte{0, 1, 1, 1, 1, 0, 0, 0, 1}}

// Each opcode of a line program, by the DWARF standard.
func TestLineOps(t *testing.T) {
	for _, c := range []struct {
		bytes string
		kind  lineKind
		addr  uint64
		step  int64
		steps bool
		size  int
	}{
		{"\x01", lineRow, 0, 0, false, 1},
		{"\x02\x81\x01", lineMoves, 129, 0, false, 3},
		{"\x03\x7e", lineMoves, 0, -2, true, 2},
		{"\x04\x07", lineOther, 0, 0, false, 2}, // a file
		{"\x05\x07", lineOther, 0, 0, false, 2}, // a column
		{"\x06", lineOther, 0, 0, false, 1},
		{"\x08", lineMoves, 17, 0, false, 1}, // (255 - 10) / 14
		{"\x09\x34\x12", lineMoves, 0x1234, 0, false, 3},
		{"\x0a", lineRow, 0, -5, true, 1},
		{"\x17", lineRow, 0, 8, true, 1},
		{"\x18", lineRow, 1, -5, true, 1},
		{"\xff", lineRow, 17, 2, true, 1},
		{"\x00\x01\x01", lineSays, 0, 0, false, 3},
		{"\x00\x09\x02abcdefgh", lineSays, 0, 0, false, 11},
	} {
		r := lebReader{b: []byte(c.bytes + "\x01")}
		op, ok := ptxasLines.next(&r)
		if !ok || op.kind != c.kind || op.addr != c.addr || op.step != c.step || op.steps != c.steps || string(op.bytes) != c.bytes || op.wrong {
			t.Errorf("% x: %+v, %v", c.bytes, op, ok)
		}
		if c.size > 1 {
			r = lebReader{b: []byte(c.bytes[:c.size-1])}
			if op, ok := ptxasLines.next(&r); ok {
				t.Errorf("% x without its end: %+v", c.bytes, op)
			}
		}
	}
	r := lebReader{b: []byte("x\x00\x09\x02abcdefgh"), pos: 1}
	if op, ok := ptxasLines.next(&r); !ok || op.sub != lineSetAddress || op.operand != 4 {
		t.Errorf("%+v, %v", op, ok)
	}
	// Without special opcodes there is no width to divide by.
	none := lineShape{opcode: 10, operands: ptxasLines.operands}
	if op, ok := none.next(&lebReader{b: []byte("\x0a")}); !ok || !op.wrong || op.addr != 0 || op.step != 0 {
		t.Errorf("%+v, %v", op, ok)
	}
	if op, ok := none.next(&lebReader{b: []byte("\x08")}); !ok || op.kind != lineOther || op.addr != 0 {
		t.Errorf("%+v, %v", op, ok)
	}
}

// A row is a special opcode where its code is the next instruction and the step of lines is one of the shape's.
func TestLineRows(t *testing.T) {
	for _, c := range []struct {
		step int64
		by   uint64
		want string
	}{
		{-5, 16, "\xea"}, {8, 16, "\xf7"}, {0, 16, "\xef"}, {-6, 16, "\x03\x7a\x02\x10\x01"}, {9, 16, "\x03\x09\x02\x10\x01"},
		{1, 32, "\x03\x01\x02\x20\x01"}, {1, 0, "\x03\x01\x01"}, {0, 0, "\x03\x00\x01"}, {1, 15, "\x03\x01\x02\x0f\x01"}, {70, 128, "\x03\xc6\x00\x02\x80\x01\x01"},
		{1, ^uint64(15), "\x03\x01\x02\x70\x01"},
	} {
		if got := ptxasLines.appendRow(nil, c.step, c.by); string(got) != c.want {
			t.Errorf("%d lines, %d bytes: % x, want % x", c.step, int64(c.by), got, c.want)
		}
	}
	narrow := lineShape{base: -1, width: 4, opcode: 188}
	for step, want := range map[int64]string{-1: "\xfc", 2: "\xff", 3: "\x03\x03\x02\x10\x01"} {
		if got := narrow.appendRow(nil, step, 16); string(got) != want {
			t.Errorf("%d lines: % x, want % x", step, got, want)
		}
	}
	narrow.opcode++ // the last would be 256
	if got := narrow.appendRow(nil, 2, 16); string(got) != "\x03\x02\x02\x10\x01" {
		t.Errorf("% x", got)
	}
}

// A sequence whose code stays where it is says the same; where code moves, its rows do.
func TestLinesThatMove(t *testing.T) {
	const set = "\x00\x09\x02\x00\x00\x00\x00\x00\x00\x00\x00"
	twice := func(at uint64) uint64 { return 2 * at }
	same := func(at uint64) uint64 { return at }
	for _, c := range []struct {
		in   string
		move func(uint64) uint64
		want string
	}{
		{set + "\x03\x05\x01\x02\x10\x00\x01\x01", same, set + "\x03\x05\x01\x02\x10\x00\x01\x01"},
		{set + "\x03\x05\x01\x02\x10\x00\x01\x01", twice, set + "\x03\x05\x01\x02\x20\x00\x01\x01"},
		{set + "\x04\x02\x03\x01\x02\x08\x01\x01", twice, set + "\x04\x02\xf0\x01"}, // 16 bytes on and one line: one opcode
		{set + "\x02\x10\x01\x02\x10\x01", twice, set + "\x02\x20\x01\x02\x20\x01"}, // rows without a step of lines
		{set + "\x01\x01", same, set + "\x01\x01"},
	} {
		got, ok := ptxasLines.moveLines([]byte(c.in), c.move)
		if !ok || string(got) != c.want {
			t.Errorf("% x: % x, %v, want % x", c.in, got, ok, c.want)
		}
	}
	for _, bad := range []string{"\x02", "\x00", "\x00\x05\x01"} {
		if got, ok := ptxasLines.moveLines([]byte(bad), same); ok {
			t.Errorf("% x becomes % x", bad, got)
		}
		if got, ok := ptxasLines.lastRows([]byte(bad)); ok {
			t.Errorf("% x becomes % x", bad, got)
		}
	}
	wrong := lineShape{opcode: 10, operands: ptxasLines.operands}
	if _, ok := wrong.moveLines([]byte("\x0b"), same); ok {
		t.Error("a special opcode of no width")
	}
	if _, ok := wrong.lastRows([]byte("\x0b")); ok {
		t.Error("a special opcode of no width")
	}
}

// Of rows at one address the last stays, with the steps of those before it.
func TestLastRows(t *testing.T) {
	for in, want := range map[string]string{
		"\x03\x05\x01\x03\x02\x01\x02\x20\x03\x01\x01\x00\x01\x01": "\x03\x07\x01\x03\x01\x02\x20\x01\x00\x01\x01",
		"\x03\x01\x01\x00\x02\x92\x01\x03\x01\x01\x00\x01\x01":     "\x03\x02\x01\x00\x01\x01", // brackets around rows go
		"\x04\x03\x03\x01\x01\x02\x40\x00\x01\x01":                 "\x04\x03\x03\x01\x01\x00\x01\x01",
		"\x00\x01\x01":     "\x00\x01\x01",
		"\x03\x01\x02\x10": "",
	} {
		if got, ok := ptxasLines.lastRows([]byte(in)); !ok || string(got) != want {
			t.Errorf("% x: % x, %v, want % x", in, got, ok, want)
		}
	}
}

func TestSplitUnit(t *testing.T) {
	unit := func(program string) []byte {
		head := append([]byte{0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 16, 1, 0xfb, 14, 10}, 0, 1, 1, 1, 1, 0, 0, 0, 1)
		head = append(head, 0, 0) // no folders, no files
		binary.LittleEndian.PutUint32(head[6:], uint32(len(head)-10))
		b := append(head, program...)
		binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
		return b
	}
	const set = "\x00\x09\x02\x00\x00\x00\x00\x00\x00\x00\x00"
	good := unit(set + "\x01\x00\x01\x01\x04\x01" + set + "\x00\x01\x01")
	u, ok := splitUnit(append(slices.Clone(good), "behind"...))
	if !ok || u.size != uint64(len(good)) || u.program != 26 || u.shape.base != -5 || u.shape.width != 14 || u.shape.opcode != 10 || !bytes.Equal(u.shape.operands, ptxasLines.operands) {
		t.Fatalf("%+v, %v", u, ok)
	}
	if want := []lineRange{{26, 41, 3}, {41, 57, 5}}; !slices.Equal(u.sequences, want) {
		t.Errorf("%v, want %v", u.sequences, want)
	}
	if u, ok := splitUnit(unit("")); !ok || len(u.sequences) != 0 {
		t.Errorf("%+v, %v", u, ok)
	}
	for what, change := range map[string]func(b []byte) []byte{
		"too short":                    func(b []byte) []byte { return b[:14] },
		"longer than it is":            func(b []byte) []byte { b[0]++; return b },
		"a header longer than it":      func(b []byte) []byte { binary.LittleEndian.PutUint32(b[6:], uint32(len(b)-9)); return b },
		"more opcodes than bytes":      func(b []byte) []byte { b[14] = 200; return b },
		"a sequence without end":       func(b []byte) []byte { b[0] -= 3; return b[:len(b)-3] },
		"an opcode that goes past it":  func(b []byte) []byte { b[len(b)-2] = 9; return b },
		"an operand that goes past it": func(b []byte) []byte { b[len(b)-1] = 2; return b },
	} {
		if u, ok := splitUnit(change(slices.Clone(good))); ok {
			t.Errorf("%s: %+v", what, u)
		}
	}
}

// Call frame instructions, by the DWARF standard and NVIDIA's two: how many bytes each takes, and how far an advance goes.
func TestFrameOps(t *testing.T) {
	show := func(b string) string {
		var said []string
		if !eachFrameOp([]byte(b), func(distance uint64, ins []byte) {
			if ins == nil {
				said = append(said, fmt.Sprintf("+%d", int64(distance)))
				return
			}
			said = append(said, fmt.Sprintf("%x", ins))
		}) {
			said = append(said, "bad")
		}
		return strings.Join(said, " ")
	}
	for in, want := range map[string]string{
		"":     "",
		"\x00": "",
		"\x41": "+1", "\x7f": "+63", "\x40": "+0",
		"\x02\x81": "+129", "\x03\x34\x12": "+4660", "\x04\x00\x00\x01\x00": "+65536", "\x04\xff\xff\xff\xff": "+-1",
		"\x02": "bad", "\x03\x01": "bad", "\x04\x01\x02\x03": "bad",
		"\x84\x01": "8401", "\xbf\x81\x01": "bf8101", "\x84": "bad",
		"\xc4":         "c4", // a register is restored
		"\x05\x01\x02": "050102", "\x05\x01": "bad",
		"\x06\x01": "0601", "\x07\x01": "0701", "\x08\x01": "0801", "\x09\x01\x02": "090102", "\x0a": "0a", "\x0b": "0b", "\x0c\x01\x02": "0c0102",
		"\x0d\x01": "0d01", "\x0e\x80\x01": "0e8001", "\x11\x01\x7f": "11017f", "\x12\x01\x02": "120102", "\x13\x01": "1301", "\x14\x01\x02": "140102", "\x15\x01\x02": "150102",
		"\x0f\x02ab": "0f026162", "\x0f\x03ab": "bad", "\x10\x01\x02ab": "1001026162", "\x10\x01\x03ab": "bad", "\x16\x01\x01a": "16010161",
		"\x2e\x01": "2e01", "\x2f\x01\x02": "2f0102",
		"\x01": "bad", "\x17": "bad", "\x2d": "bad", "\x30": "bad", "\x3f": "bad",
		"\x0a\x41\x0b\x00": "0a +1 0b",
	} {
		if got := show(in); got != want {
			t.Errorf("% x: %s, want %s", in, got, want)
		}
	}
	if got := appendAdvance([]byte("x"), 0x20, 0x110); string(got) != "x\x04\x3c\x00\x00\x00" {
		t.Errorf("% x", got)
	}
}

// Code that moved takes the program of its frames along, in steps of four bytes; code that did not keeps it.
func TestFramesThatMove(t *testing.T) {
	program := []byte("\x44\x0a\x48\x0b")
	if got, ok := moveFrame([]byte("x"), program, &code{input: &input.Sides{}}, frameBase{}); !ok || string(got) != "x\x44\x0a\x48\x0b" {
		t.Errorf("% x, %v", got, ok)
	}
	fn := &code{input: &input.Sides{}, result: &resched.Result{Moves: []int{0, 2, 4, 5}}}
	for off, want := range map[uint64]uint64{0: 0, 4: 4, 15: 15, 16: 16, 31: 16, 32: 48, 48: 80, 64: 96, 65: 65, 80: 80} {
		if got := fn.frameMoved(off); got != want {
			t.Errorf("%d is at %d now, want %d", off, got, want)
		}
	}
	if got, ok := moveFrame(nil, program, fn, frameBase{}); !ok || string(got) != "\x04\x04\x00\x00\x00\x0a\x04\x10\x00\x00\x00\x0b" {
		t.Errorf("% x, %v", got, ok)
	}
	if _, ok := moveFrame(nil, []byte("\x01"), fn, frameBase{}); ok {
		t.Error("a program that can't be read")
	}
}

func TestMarkedFrames(t *testing.T) {
	entry := func(n int) []byte {
		b := binary.LittleEndian.AppendUint32(nil, 0xffffffff)
		return append(binary.LittleEndian.AppendUint64(b, uint64(n)), make([]byte, n)...)
	}
	two := append(entry(8), entry(0)...)
	short := []byte{20, 0, 0, 0}
	for _, c := range []struct {
		what         string
		b            []byte
		marked, only bool
	}{
		{"none", nil, true, true}, {"two", two, true, true}, {"32 bits", append(short, make([]byte, 20)...), false, false},
		{"32 bits behind one", append(slices.Clone(two), append(short, make([]byte, 20)...)...), false, false},
		{"a few bytes behind", append(slices.Clone(two), 1, 2, 3), true, false},
		{"cut short", entry(9)[:20], true, false},
		{"a head alone", entry(0), true, true},
		{"a head cut short", entry(0)[:11], true, false},
	} {
		if got := framesMarked(c.b); got != c.marked {
			t.Errorf("%s: marked %v", c.what, got)
		}
		if got := areMarkedFrames(c.b); got != c.only {
			t.Errorf("%s: nothing else %v", c.what, got)
		}
	}
}

// Forms of an instruction's last operand by opcode, as nvdisasm shows them.
func TestOperandForms(t *testing.T) {
	for op, want := range map[uint16]operand{
		0x7ac: inBank, 0xb82: inBank, 0xab9: inBank, // LDCU, LDC, ULDC
		0xa10: inBank, 0x610: inBank, // IADD3 R, R, c[][]; with the bank in the middle
		0x810: immediate, 0x410: immediate, 0x882: immediate,
		0x210: noOperand, 0x94d: immediate, 0xc10: noOperand, 0x010: noOperand, 0x1810: immediate, 0xf210: noOperand,
	} {
		word := make([]byte, 16)
		binary.LittleEndian.PutUint16(word, op)
		if got := operandOf(word); got != want {
			t.Errorf("%#x: %d, want %d", op, got, want)
		}
	}
	word := bytes.Repeat([]byte{0xff}, 16)
	immediate.put(word, 0x12345678)
	if got := immediate.field(word); got != 0x12345678 || binary.LittleEndian.Uint32(word[4:]) != 0x12345678 || word[3] != 0xff || word[8] != 0xff {
		t.Errorf("%#x, % x", got, word)
	}
	clear(word)
	inBank.put(word, 0xabcd1234)
	if got := inBank.field(word); got != 0x1234 || binary.LittleEndian.Uint64(word) != 0x1234<<38 {
		t.Errorf("%#x, % x", got, word)
	}
	word = bytes.Repeat([]byte{0xff}, 16)
	if inBank.put(word, 0); binary.LittleEndian.Uint64(word) != ^uint64(0xffff<<38) {
		t.Errorf("% x", word)
	}
}

func TestFirstFault(t *testing.T) {
	var f firstFault
	one, two := fmt.Errorf("1"), fmt.Errorf("2")
	if !f.add(9, nil) || f.add(5, one) || f.err != one {
		t.Errorf("%v", f.err)
	}
	if f.add(7, two) || f.err != one {
		t.Errorf("a later part's fault counts: %v", f.err)
	}
	if f.add(5, two) || f.err != one {
		t.Errorf("the same part's second fault counts: %v", f.err)
	}
	if f.add(2, two) || f.err != two || f.at != 2 {
		t.Errorf("%v", f.err)
	}
}
