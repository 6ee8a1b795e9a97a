package debug

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// A sequence as ptxas 13.0 writes it, with each kind of opcode, one row at a time; and cut short.
func TestLineRows(t *testing.T) {
	p := lineProgram{unit: 1, base: ^uint64(2), span: 10, first: 10, statement: true, operands: "\x00\x01\x01\x01\x01\x00\x00\x00\x01"}
	text := "\x04\x02" + "\x03\x0a\x01" + "\x05\x07" + "\x02\x90\x01\x01" + "\x06\x07\xf3" + "\x00\x03\x90\x05\x06\x01" + "\x00\x02\x91\x08" + "\x09\x10\x00\x08" + "\x03\x7f\x01" + "\x02\x20\x00\x01\x01"
	want := []lineRow{
		{0, lineState{file: 2, line: 11, statement: true}},
		{0x90, lineState{file: 2, line: 11, column: 7, statement: true}},
		{0x90 + 23, lineState{file: 2, line: 11, column: 7, block: true}},
		{0x90 + 23, lineState{file: 2, line: 11, column: 7, context: 5, name: 6}},
		{0x90 + 23 + 16 + 24, lineState{file: 2, line: 10, column: 7, context: 5, name: 8}},
		{0x90 + 23 + 16 + 24 + 32, lineState{file: 2, line: 10, column: 7, context: 5, name: 8, end: true}},
	}
	got, ok := p.rows(text)
	if !ok || !slices.Equal(got, want) {
		t.Errorf("%v\n%+v\n%+v", ok, got, want)
	}
	for n := range len(text) {
		if got, ok := p.rows(text[:n]); ok && len(got) >= len(want) {
			t.Errorf("%d bytes are read as %+v", n, got)
		}
	}
	if _, ok := p.rows("\x00\x02\x99\x00"); ok {
		t.Error("an opcode that is not known is read")
	}
}

// Words of code that moved: two fences were inserted before the third.
func TestRowMoves(t *testing.T) {
	a := &link.Area{Size: 64, Out: &image.Section{Body: make([]byte, 96)}, Words: &sass.WordMap{To: []int32{0, 1, 4, 5}, From: []int32{0, 1, -1, -1, 2, 3}}}
	for _, x := range []struct {
		from, to uint64
		ok       bool
	}{{0, 0, true}, {16, 16, true}, {16, 32, false}, {32, 32, true}, {32, 64, false}, {48, 80, true}, {64, 96, true}, {64, 80, false}, {80, 96, false}} {
		if a.RowMoves(x.from, x.to) != x.ok {
			t.Errorf("from %d to %d: want %v", x.from, x.to, x.ok)
		}
	}
}

// TestLineHeaders reads headers of line tables that are right and ones that are not.
func TestLineHeaders(t *testing.T) {
	// Length of the header, shortest opcode, statement, base, span, first opcode and how many operands each has.
	header := func(version byte, rest string) string { return string([]byte{version, 0}) + "\x00\x00\x00\x00" + rest }
	const operands = "\x00\x01\x01\x01\x01\x00\x00\x00\x01"
	right := header(2, "\x01\x01\xfd\x0a\x0a"+operands)
	if _, ok := programOf(&apply.LineUnit{Header: right}); !ok {
		t.Fatal("the header itself")
	}
	for i, x := range []struct {
		header string
		ok     bool
	}{
		{header(3, "\x01\x01\xfd\x0a\x0a"+operands), true},
		{header(4, "\x01\x01\xfd\x0a\x0a"+operands), false},
		{header(1, "\x01\x01\xfd\x0a\x0a"+operands), false},
		{"\x02\x01" + right[2:], false},
		{header(2, "\x01\x01\xfd\x00\x0a"+operands), false}, // no span
		{header(2, "\x01\x01\xfd\x01\x0a"+operands), true},
		{header(2, "\x01\x01\xfd\x0a\x0a"+operands[:8]), false},
		{header(2, "\x01\x01\xfd\x0a\x0a"+operands+"\x00"), true},
		{header(2, "\x01\x01\xfd\x0a\x00"+operands), false},
		{header(2, "\x01\x01\xfd\x0a\x01"), true},
		{header(2, "\x01\x01\xfd\x0a"), false},
		{"", false},
	} {
		if _, ok := programOf(&apply.LineUnit{Header: x.header}); ok != x.ok {
			t.Errorf("%d: %v", i, ok)
		}
	}
}
