package debug

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestRowsOf reads each operation of a frame: advances of a byte and of four, and those with operands.
func TestRowsOf(t *testing.T) {
	const head = "0123456789abcdef"
	for i, x := range []struct {
		text string
		want []row
		ok   bool
	}{
		{"", nil, true},
		{"\x00\x00", nil, true},
		{"\x07\x81", nil, false}, // cut short
		{"\x07\x01", []row{{0, "\x07\x01"}}, true},
		{"\x06\x81\x80\x01\x08\x02", []row{{0, "\x06\x81\x80\x01"}, {0, "\x08\x02"}}, true},
		{"\x05\x01\x02\x07\x03", []row{{0, "\x05\x01\x02"}, {0, "\x07\x03"}}, true},
		{"\x09\x01\x82\x01\x07\x03", []row{{0, "\x09\x01\x82\x01"}, {0, "\x07\x03"}}, true},
		{"\x0c\x01\x02\x07\x03", []row{{0, "\x0c\x01\x02"}, {0, "\x07\x03"}}, true},
		{"\x10\x01\x02ab\x07\x03", []row{{0, "\x10\x01\x02ab"}, {0, "\x07\x03"}}, true}, // an expression of two bytes
		{"\x10\x01\x00\x07\x03", []row{{0, "\x10\x01\x00"}, {0, "\x07\x03"}}, true},
		{"\x10\x01\x02a", nil, false},
		{"\x10\x01\x01a", []row{{0, "\x10\x01\x01a"}}, true},
		{"\x10\x01", []row{{0, "\x10\x01"}}, true},
		{"\x04\x01\x00\x00\x00\x07\x03", []row{{4, "\x07\x03"}}, true},
		{"\x04\x00\x01\x00\x01\x07\x03", []row{{4 * 0x1000100, "\x07\x03"}}, true},
		{"\x04\x01\x00\x00\x00", nil, true},
		{"\x04\x01\x00\x00", nil, false},
		{"\x41\x07\x03", []row{{4, "\x07\x03"}}, true},
		{"\x7f\x07\x03\x44\x07\x04", []row{{4 * 63, "\x07\x03"}, {4 * 67, "\x07\x04"}}, true},
		{"\x81\x07\x03", nil, false},
		{"\xc1\x07\x03", nil, false},
		{"\x11\x01\x02", nil, false},
		{"\x03\x01", nil, false},
	} {
		got, ok := rowsOf(head + x.text)
		if ok != x.ok || !slices.Equal(got, x.want) {
			t.Errorf("%d: %v %v", i, got, ok)
		}
	}
}

// TestFrameEntries takes tables of frames apart that are cut, short or long.
func TestFrameEntries(t *testing.T) {
	function := strings.Repeat("\x00", 16)
	const cie, longCie = "\x06\x00\x00\x00\xff\xff\xff\xff\x03x", "\xff\xff\xff\xff\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x03x"
	f := &link.Identity{Name: "f"}
	for i, x := range []struct {
		text  string
		named uint64
		input bool
		want  string // CIE and function of each frame
		ok    bool
	}{
		{"", 0, false, "", true},
		{cie, 0, false, "", true},
		{cie + "\x14\x00\x00\x00\x00\x00\x00\x00" + function, 18, false, "10 \x03x f 16;", true},
		{cie + "\x14\x00\x00\x00\x00\x00\x00\x00" + function, 17, false, "10 \x03x  16;", true},
		{cie + "\x14\x00\x00\x00\x07\x00\x00\x00" + function, 18, false, "10  f 16;", true}, // of no CIE
		{cie + "\x14\x00\x00\x00\x07\x00\x00\x00" + function, 18, true, "10 \x03x f 16;", true},
		{cie + "\x14\x00\x00\x00\x07\x00\x00\x00" + function + "\x14\x00\x00\x00\x07\x00\x00\x00" + function, 18, true, "10 \x03x f 16;34 \x03x  16;", true},
		{cie + "\x13\x00\x00\x00\x00\x00\x00\x00" + function[1:], 18, false, "", false},
		{cie + "\x15\x00\x00\x00\x00\x00\x00\x00" + function, 18, false, "", false},
		{cie + "\x03\x00\x00\x00\x00\x00\x00\x00", 18, false, "", false},
		{longCie + "\xff\xff\xff\xff\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + function, 42, false, "22 \x03x f 16;", true},
		{longCie + "\xff\xff\xff\xff\x18\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00" + function, 42, false, "", false},
		{longCie + "\xff\xff\xff\xff\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 42, false, "", false},
		{"\x04\x00\x00\x00\xff\xff\xff\xff", 0, false, "", true},
		{"\xff\xff\xff\xff\x08\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f", 0, false, "", false}, // no CIE, and no room
	} {
		list, used, ok := frames([]byte(x.text), map[uint64]named{x.named: {id: f}}, x.input)
		got, with := "", 0
		for _, f := range list {
			if got += fmt.Sprintf("%d %s %s %d;", f.at, f.cie.text, f.id, len(f.fde)); f.id != nil {
				with++
			}
		}
		if used != with {
			t.Errorf("%d: %d names used of %d", i, used, with)
		}
		if ok != x.ok || got != x.want {
			t.Errorf("%d: %q %v, want %q", i, got, ok, x.want)
		}
	}
}

// TestFramesInside: the CIE of a function inside a kernel names the kernel, after its own head and before its end; a frame
// begins where its record says.
func TestFramesInside(t *testing.T) {
	f := &link.Identity{Name: "f"}
	text := "\x0c\x00\x00\x00\xff\xff\xff\xff\x03xxxxxxx" + "\x14\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 16)
	for i, x := range []struct {
		names map[uint64]named
		want  string
		used  int
	}{
		{map[uint64]named{24: {f, 0}}, "/f 0", 1},
		{map[uint64]named{24: {f, 64}}, "/f 64", 1},
		{map[uint64]named{24: {f, 64}, 8: {f, 0}}, " 8/f 64", 2},
		{map[uint64]named{24: {f, 64}, 15: {f, 0}, 9: {f, 0}}, " 9 15/f 64", 3},
		{map[uint64]named{24: {f, 64}, 7: {f, 0}}, "/f 64", 1},
		{map[uint64]named{24: {f, 64}, 0: {f, 0}}, "/f 64", 1},
		{map[uint64]named{24: {f, 64}, 16: {f, 0}}, "/f 64", 1},
		{map[uint64]named{24: {f, 64}, 9: {f, 16}}, "/f 64", 1},
		{map[uint64]named{9: {f, 0}}, " 9/ 0", 1},
	} {
		list, used, ok := frames([]byte(text), x.names, false)
		if !ok || len(list) != 1 {
			t.Fatalf("%d: %d frames", i, len(list))
		}
		if got := fmt.Sprintf("%s/%s %d", list[0].cie.names, list[0].id, list[0].begin); got != x.want || used != x.used {
			t.Errorf("%d: %q, %d used, want %q, %d", i, got, used, x.want, x.used)
		}
	}
}

// TestSameRowsAsks: frames that can't be compared are not the same.
func TestSameRowsAsks(t *testing.T) {
	c, ids := framed("f:a g:a h:b", nil, false)
	fde := "\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00"
	f := ids["f"]
	if !c.sameRows(frame{fde: fde}, frame{fde: fde, id: f}) {
		t.Fatal("the frame itself")
	}
	for i, x := range []struct {
		want, got string
		id        *link.Identity
	}{
		{fde, "x" + fde[1:], f}, {fde, fde[:8] + "\x90" + fde[9:], f}, {fde[:8] + "\x90" + fde[9:], fde, f}, {fde, fde[:15] + "\x01", f},
		{fde, fde, &link.Identity{}}, {fde, fde, &link.Identity{Code: &link.Body{}}},
		{fde + "\xff", fde + "\xff", f}, {fde, fde + "\xff", f}, {fde + "\xff", fde, f},
	} {
		if c.sameRows(frame{fde: x.want}, frame{fde: x.got, id: x.id}) {
			t.Errorf("%d: the same", i)
		}
	}
}

// TestSameHead: two CIEs may differ in the unit of places in code alone.
func TestSameHead(t *testing.T) {
	for i, x := range []struct {
		a, b string
		want bool
	}{
		{"\x03\x00\x04\x7c", "\x03\x00\x04\x7c", true}, {"\x03\x00\x04\x7c", "\x03\x00\x10\x7c", true}, {"\x03\x00\x04\x7c", "\x03\x00\x04\x7d", false}, {"\x03\x00\x04\x7c", "\x02\x00\x04\x7c", false},
		{"\x03\x00\x04\x7c", "\x03\x01\x04\x7c", false}, {"\x03\x00\x04\x7c", "\x03\x00\x04", false}, {"\x03\x00\x04", "\x03\x00\x05", true}, {"\x03\x00", "\x03\x00", false}, {"", "", false},
	} {
		if got := sameHead(x.a, x.b); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestRegisterOf reads numbers of registers: the class above the number.
func TestRegisterOf(t *testing.T) {
	for i, x := range []struct {
		code  string
		class uint64
		want  int
		rest  string
	}{
		{"\x90\x80\x80\x28", classGeneral, 16, ""},
		{"\x90\x80\x80\x28z", classGeneral, 16, "z"},
		{"\x80\x80\x80\x28", classGeneral, 0, ""},
		{"\xfe\x81\x80\x28", classGeneral, 254, ""},
		{"\xff\x81\x80\x28", classGeneral, -1, ""}, // RZ
		{"\x80\x80\x80\x60", classBarrier, 0, ""},
		{"\x80\x80\x80\x60", classGeneral, -1, ""},
		{"\x90\x80\x80\x28", classBarrier, -1, ""},
		{"\x90\x80\x80", classGeneral, -1, ""},
		{"\x10", classGeneral, -1, ""},
		{"", classGeneral, -1, ""},
	} {
		if got, rest := registerOf(x.code, x.class); got != x.want || rest != x.rest {
			t.Errorf("%d: %d %q", i, got, rest)
		}
	}
}

// TestTells holds rows against what the words at their places do: MOV R6, R7 and MOV R7, R8 at words 1 and 2; R0 is moved at word 0.
func TestTells(t *testing.T) {
	code := make([]byte, 64)
	copy(code, "\x02\x72\x00\x00\x06")      // MOV R0, R6
	copy(code[16:], "\x02\x72\x06\x00\x07") // MOV R6, R7
	copy(code[32:], "\x02\x72\x07\x00\x06") // MOV R7, R6
	copy(code[48:], "\x10\x72\x09\x00\x06") // IADD3 R9
	register := func(n byte) string { return string([]byte{0x80 | n, 0x80, 0x80, 0x28}) }
	undefined := func(n byte) string { return "\x07" + register(n) }
	for i, x := range []struct {
		at   uint64
		code string
		want bool
	}{
		{16, undefined(6), true}, {32, undefined(7), true}, {16, undefined(7), false}, {17, undefined(6), false}, {48, undefined(9), false}, {64, undefined(6), false}, {0, undefined(0), true},
		{16, undefined(6) + "z", false}, {16, "\x07\x06", false}, {16, "\x08" + register(6), false}, {16, "\x0a" + register(6), false},
		// The word before has put what R7 held into R6, and its second operand is R7.
		{32, "\x09" + register(7) + register(6), true}, {32, "\x09" + register(7) + register(5), false}, {32, "\x09" + register(7) + register(6) + "z", false}, {32, "\x09" + register(7), false},
		{16, "\x09" + register(6) + register(0), true}, {16, "\x09" + register(6) + register(1), false}, {48, "\x09" + register(9) + register(7), false}, {0, "\x09" + register(0) + register(0), false},
	} {
		a := &link.Area{Out: &image.Section{Body: code}}
		if got := tells(a, row{x.at, x.code}); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
	if tells(&link.Area{}, row{16, undefined(6)}) {
		t.Error("code that is not there")
	}
	bmov := func(op byte, a, b, c byte) []byte { return []byte{op, 0x73, a, b, c} }
	for i, x := range []struct {
		word     []byte
		kind     byte
		register int
		rest     string
		want     bool
	}{
		{bmov(0x52, 0, 1, 2), rowRegister, 2, "\x81\x80\x80\x60", true},
		{bmov(0x52, 0, 1, 2), rowRegister, 3, "\x81\x80\x80\x60", false},
		{bmov(0x52, 0, 1, 2), rowRegister, 2, "\x82\x80\x80\x60", false},
		{bmov(0x52, 0, 1, 2), rowRegister, 2, "\x81\x80\x80\x60z", false},
		{bmov(0x52, 0, 1, 2), rowSame, 2, "\x81\x80\x80\x60", false},
		{bmov(0x52, 2, 1, 2), rowSame, 2, "", false},
		{bmov(0x53, 2, 0, 1), rowSame, 2, "", true},
		{bmov(0x53, 2, 0, 1), rowSame, 3, "", false},
		{bmov(0x53, 2, 0, 1), rowSame, 2, "z", false},
		{bmov(0x53, 2, 1, 2), rowRegister, 2, "\x81\x80\x80\x60", false},
		{bmov(0x53, 2, 0, 1), rowUndefined, 2, "", false},
	} {
		if got := tellsBarrier(x.word, x.kind, x.register, x.rest); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
