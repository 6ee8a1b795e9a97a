package dwarf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// LEB128 as DWARF has it (7.6), up to 64 bits, shortest and padded.
func TestLEB(t *testing.T) {
	for _, c := range []struct {
		bytes    string
		unsigned uint64
		signed   int64
		ok       [2]bool
	}{
		{"\x00", 0, 0, [2]bool{true, true}}, {"\x02", 2, 2, [2]bool{true, true}}, {"\x7f", 127, -1, [2]bool{true, true}}, {"\x40", 64, -64, [2]bool{true, true}}, {"\x3f", 63, 63, [2]bool{true, true}},
		{"\x80\x01", 128, 128, [2]bool{true, true}}, {"\xff\x7e", 16255, -129, [2]bool{true, true}}, {"\xf0\x00", 112, 112, [2]bool{true, true}}, {"\x80\x7f", 16256, -128, [2]bool{true, true}},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", math.MaxUint64, -1, [2]bool{true, true}}, {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1 << 63, math.MinInt64, [2]bool{true, true}},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 0, math.MaxInt64, [2]bool{false, true}}, {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", math.MaxInt64, math.MaxInt64, [2]bool{true, true}},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 0, 0, [2]bool{false, false}}, {"\x80", 0, 0, [2]bool{false, false}}, {"", 0, 0, [2]bool{false, false}},
	} {
		r := &reader{data: []byte(c.bytes)}
		if v := r.uleb("x"); v != c.unsigned || (r.fault == nil) != c.ok[0] {
			t.Errorf("%x: %d, %v", c.bytes, v, r.fault)
		}
		r = &reader{data: []byte(c.bytes)}
		if v := r.sleb("x"); v != c.signed || (r.fault == nil) != c.ok[1] {
			t.Errorf("%x signed: %d, %v", c.bytes, v, r.fault)
		} else if c.ok[1] && int(r.pos) != len(c.bytes) {
			t.Errorf("%x: ends at %d", c.bytes, r.pos)
		} else if n := uint8(len(c.bytes)); c.ok[1] && n < 10 && string(appendLEB(nil, uint64(v), n)) != c.bytes {
			t.Errorf("%x: written as %x", c.bytes, appendLEB(nil, uint64(v), n))
		}
	}
	r := &reader{data: []byte("ab\x00c")}
	if s := r.name("x"); s != "ab" || r.pos != 3 || r.name("a name") != "" || *r.fault != (capsule.Fault{Kind: cubin.BadRecord, Offset: 3, Value: 4, Detail: "a name has no end"}) {
		t.Errorf("%q, %v", s, r.fault)
	}
	if r.u8("x")+uint8(r.u16("x"))+uint8(r.u32("x"))+uint8(r.u64("x")) != 0 || r.fault.Offset != 3 {
		t.Error("something is read behind a fault")
	}
}

// program is a line unit of version 2 or 3 with a line base of -5, a range of 14 and the minimum instruction length.
func program(version, minInst, stmt byte, ops ...byte) []byte {
	base := byte(10)
	if version == 3 {
		base = 13
	}
	head := append([]byte{minInst, stmt, 0xfb, 14, base}, bytes.Repeat([]byte{1}, int(base)-1)...)
	unit := []byte{version, 0}
	unit = binary.LittleEndian.AppendUint32(unit, uint32(len(head)))
	unit = append(append(unit, head...), ops...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(unit))), unit...)
}

// The state machine of DWARF 3, 6.2.5, with NVIDIA's operations.
func TestLines(t *testing.T) {
	address := []byte{0, 9, lneSetAddress, 0x10, 0, 0, 0, 0, 0, 0, 0}
	end := []byte{0, 1, lneEndSequence}
	ops := bytes.Join([][]byte{
		address,
		{lnsSetFile, 3, lnsSetColumn, 7, lnsAdvanceLine, 0x7e, lnsCopy},      // line 1-2
		{lnsAdvancePC, 0xf0, 0x00, lnsNegateStmt, lnsSetBasicBlock, lnsCopy}, // 112 units on
		{13 + 14*2 + 5 + 3}, // special: address 2 units on, line 3 on
		{lnsConstAddPC, lnsFixedAdvancePC, 0x34, 0x12, lnsPrologueEnd, lnsCopy}, // (255-13)/14 units, then 0x1234 bytes
		{0, 3, lneInlinedCall, 5, 9, 0, 2, lneGroup, 1, lnsEpilogueBegin, lnsCopy, 0, 2, lneGroup, 0, 0, 3, lneFunctionName, 0x81, 0x01, lnsSetISA, 1},
		end,
		{lnsCopy},
	}, nil)
	data := program(3, 4, 1, ops...)
	units, fault := DecodeLines(data)
	if fault != nil || len(units) != 1 || !bytes.Equal(AppendLines(nil, units), data) {
		t.Fatalf("%v, %d units", fault, len(units))
	}
	const first = 0x10
	at := first + 112*4
	third := at + 2*4
	fourth := third + 17*4 + 0x1234
	var got []string
	for _, s := range units[0].Sequences() {
		got = append(got, fmt.Sprintf("base %#x at %d", s.Base, s.Operand))
		for _, r := range s.Rows {
			got = append(got, fmt.Sprintf("%#x line %d file %d column %d context %d function %d %v %v %v %v", r.Addr, r.Line, r.File, r.Column, r.Context, r.Function, r.Stmt, r.Block, r.Group, r.End))
		}
	}
	want := []string{
		fmt.Sprintf("base 0x10 at %d", 4+2+4+5+12+3),
		fmt.Sprintf("%#x line -1 file 3 column 7 context 0 function 0 true false false false", first),
		fmt.Sprintf("%#x line -1 file 3 column 7 context 0 function 0 false true false false", at),
		fmt.Sprintf("%#x line 2 file 3 column 7 context 0 function 0 false false false false", third),
		fmt.Sprintf("%#x line 2 file 3 column 7 context 0 function 0 false false false false", fourth),
		fmt.Sprintf("%#x line 2 file 3 column 7 context 5 function 9 false false true false", fourth),
		fmt.Sprintf("%#x line 2 file 3 column 7 context 5 function 129 false false false true", fourth),
		"base 0x0 at 0",
		"0x0 line 1 file 1 column 0 context 0 function 0 true false false false",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i := range units[0].Ops[1:] {
		if a, b := units[0].Ops[i].At, units[0].Ops[i+1].At; a >= b {
			t.Errorf("operation %d at %d, the next at %d", i, a, b)
		}
	}
	rows := []Row{{Line: 1}, {File: 1}, {Column: 1}, {Context: 1}, {Function: 1}, {Stmt: true}, {Block: true}, {End: true}}
	for i := range rows {
		for k := range rows {
			if rows[i].Same(&rows[k]) != (i == k) {
				t.Errorf("rows %d and %d", i, k)
			}
		}
	}
	if !(&Row{Addr: 1, At: 2, Group: true}).Same(&Row{}) {
		t.Error("an address counts")
	}
}

// faultOf is what is wrong, nil for nothing.
func faultOf(decode string, data []byte) *capsule.Fault {
	switch decode {
	case "lines":
		_, fault := DecodeLines(data)
		return fault
	case "frames":
		_, fault := DecodeFrames(data)
		return fault
	}
	_, fault := DecodeRegisters(data)
	return fault
}

// What is cut or makes no sense is reported at its place.
func TestFaults(t *testing.T) {
	put := func(data []byte, at int, b ...byte) []byte {
		data = bytes.Clone(data)
		copy(data[at:], b)
		return data
	}
	lines := program(2, 1, 0, lnsCopy)
	cie := append([]byte{0xff, 0xff, 0xff, 0xff, 24, 0, 0, 0, 0, 0, 0, 0}, append(bytes.Repeat([]byte{0xff}, 8), 3, 0, 4, 0x7c, 0x10, cfaAdvance|1, cfaRemember, 0, 0, 0, 0, 0, 0, 0, 0, 0)...)
	registers := append([]byte("f\x00\x01\x00\x00\x00\x02\x00\x00\x00%r1\x00"), 5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0)
	for _, c := range []struct {
		name, decode string
		data         []byte
		offset       uint64
		value        uint64
		detail       string
	}{
		{"none", "lines", lines, 0, 0, ""},
		{"none", "frames", cie, 0, 0, ""},
		{"none", "registers", registers, 0, 0, ""},
		{"cut length", "lines", lines[:3], 0, 4, "a unit's length goes past the section"},
		{"length", "lines", put(lines, 0, byte(len(lines)-3)), 0, uint64(len(lines) - 3), "a unit of that many bytes goes past the section"},
		{"version", "lines", put(lines, 4, 4), 4, 4, "not version 2 or 3 of a line program"},
		{"version", "lines", put(lines, 4, 1), 4, 1, "not version 2 or 3 of a line program"},
		{"line range", "lines", put(lines, 13, 0), 4, 0, "a line range of 0"},
		{"opcode base", "lines", put(lines, 14, 13), 4, 13, "not the opcode base of the version"},
		{"header too long", "lines", put(lines, 6, 16), 6, 16, "a unit's header goes past the section"},
		{"header too short", "lines", put(lines, 6, 4), 6, 4, "a unit's header goes past the section"},
		{"no opcode", "lines", program(2, 1, 0, 0, 0), uint64(len(lines) - 1), 0, "an extended operation without opcode"},
		{"operands", "lines", program(2, 1, 0, 0, 5, 1), uint64(len(lines) + 2), 4, "an extended operation goes past the section"},
		{"behind the unit", "lines", append(put(program(2, 1, 0, lnsCopy, lnsAdvancePC), 0, byte(len(lines)-3)), 1), uint64(len(lines) + 1), uint64(len(lines) + 2), "an operation goes past its unit"},
		{"cut", "frames", cie[:len(cie)-1], 0, 24, "an entry of that many bytes goes past the section"},
		{"instruction", "frames", put(cie, 26, 0x3f), 26, 0x3f, "no call frame instruction"},
		{"instruction behind its entry", "frames", append(put(cie, 35, cfaAdvance1), 1, 2, 3, 4, 5), 36, 37, "an instruction goes past its entry"},
		{"block", "frames", put(cie, 33, cfaDefExpression, 9, 0), 35, 9, "a block goes past the section"},
		{"name", "registers", []byte("f"), 0, 1, "a function's name has no end"},
		{"count", "registers", registers[:5], 2, 4, "a number of entries goes past the section"},
		{"entry", "registers", registers[:8], 6, 4, "an entry goes past the section"},
		{"register", "registers", registers[:12], 10, 12, "a register's name has no end"},
		{"end", "registers", registers[:len(registers)-1], uint64(len(registers) - 4), 4, "an entry goes past the section"},
	} {
		got := faultOf(c.decode, c.data)
		if c.detail == "" {
			if got != nil {
				t.Errorf("%s: %v", c.decode, got)
			}
			continue
		}
		if got == nil || *got != (capsule.Fault{Kind: cubin.BadRecord, Offset: c.offset, Value: c.value, Detail: c.detail}) {
			t.Errorf("%s, %s: %+v", c.decode, c.name, got)
		}
	}
	blocks, _ := DecodeRegisters(registers)
	if want := []RegisterBlock{{Name: "f", Count: 1, Entries: []RegisterRange{{At: 6, Flag: 2, Register: "%r1", Machine: 5, Start: 6, End: 7}}}}; !reflect.DeepEqual(blocks, want) || !bytes.Equal(AppendRegisters(nil, blocks), registers) {
		t.Errorf("%+v", blocks)
	}
}

// Call frames of both widths: a CIE's alignment counts in the FDEs that name it, and in those whose pointer a relocation fills.
func TestFrames(t *testing.T) {
	le := binary.LittleEndian
	entry := func(wide bool, id uint64, body ...byte) (b []byte) {
		if wide {
			b = le.AppendUint64(le.AppendUint64([]byte{0xff, 0xff, 0xff, 0xff}, uint64(len(body)+8)), id)
		} else {
			b = le.AppendUint32(le.AppendUint32(nil, uint32(len(body)+4)), uint32(id))
		}
		return append(b, body...)
	}
	fde := func(start, length uint64, ops ...byte) []byte {
		return append(le.AppendUint64(le.AppendUint64(nil, start), length), ops...)
	}
	first := entry(true, NoCIE, 3, 'x', 0, 4, 0x7c, 0x20, 0x0c, 1, 0)
	second := entry(false, NoCIE, 3, 0, 1, 0x7c, 0x20)
	ops := []byte{cfaAdvance | 2, 0x0e, 0x10, cfaOffset | 5, 0x83, 0x01, cfaRestore | 1, cfaAdvance1, 3, cfaAdvance2, 0, 1, cfaAdvance4, 0xff, 0xff, 0xff, 0xff, cfaRemember, cfaRestoreState, cfaSetLoc, 1, 2, 3, 4, 5, 6, 7, 8, 0x10, 5, 2, 7, 8, 0, 0, 0}
	data := bytes.Join([][]byte{first, second, entry(true, 0, fde(0x100, 0x200, ops...)...), entry(false, uint64(len(first)), fde(1, 2, cfaAdvance|3)...), entry(false, 77, fde(1, 2, cfaAdvance|3)...)}, nil)
	list, fault := DecodeFrames(data)
	if fault != nil || len(list) != 5 || !bytes.Equal(AppendFrames(nil, list), data) {
		t.Fatalf("%v, %d entries", fault, len(list))
	}
	at := uint64(0)
	for i, want := range []struct {
		wide, cie        bool
		align            uint64
		id, location     uint64
		steps            int
		last             int64
		addresses        []int64
		places, advances []int
	}{
		{true, true, 4, 12, 20, 0, 0, []int64{0}, []int{26}, []int{0}},
		{false, true, 1, 4, 8, 0, 0, nil, nil, nil},
		{true, false, 4, 12, 20, 4, 2*4 + 3*4 + 256*4 - 4, []int64{8, 8, 8, 1040, 1040, 1040, 1040}, []int{37, 39, 42, 53, 54, 55, 64}, []int{1, 1, 1, 4, 4, 4, 4}},
		{false, false, 1, 4, 8, 1, 3, nil, nil, nil},
		{false, false, 1, 4, 8, 1, 3, nil, nil, nil}, // the last CIE's
	} {
		f := &list[i]
		rules, last, steps := f.Rules(nil)
		if f.At != at || f.Wide != want.wide || f.IsCIE() != want.cie || f.CodeAlignment() != want.align || f.CIEPointer() != at+want.id || f.Location() != at+want.location || last != want.last || steps != want.steps || len(rules) != len(want.addresses) {
			t.Errorf("entry %d: %+v, %d steps to %d, %d rules", i, f, steps, last, len(rules))
			continue
		}
		for k, r := range rules {
			if r.Addr != want.addresses[k] || r.At != at+uint64(want.places[k]) || r.Step != want.advances[k] {
				t.Errorf("entry %d, rule %d: %+v", i, k, r)
			}
		}
		if !f.IsCIE() && i == 2 && (f.Start != 0x100 || f.Length != 0x200) {
			t.Errorf("%+v", f)
		}
		at += uint64(len(AppendFrames(nil, list[i:i+1])))
	}
	if n := countEntries(data); n != 5 {
		t.Errorf("%d entries", n)
	}
	if n := countEntries(data[:len(data)-1]); n != 4 {
		t.Errorf("%d entries of what is cut", n)
	}
}
