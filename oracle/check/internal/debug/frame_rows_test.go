package debug

import (
	encoding "encoding/hex"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Frames and words by nvJitLink 13.4.92 for sm_110, of objects of ptxas 13.0.88.
func TestFrameRows(t *testing.T) {
	unhex := func(s string) string {
		b, err := encoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	head := "00000000000000000003000000000000"
	want := unhex(head + "049800000004040000000c818080280000000000")
	right := head + "047800000007868080280404000000098780802886808028041c00000004040000000c818080280000000000"
	code := make([]byte, 0x300)
	copy(code[0x1e0:], unhex("0200060007000000000f000000000000")) // no move
	copy(code[0x1e0:], unhex("0272060007000000000f000000000000")) // MOV R6, R7
	copy(code[0x1f0:], unhex("0272070008000000000f000000000000")) // MOV R7, R8
	id := &link.Identity{Code: &link.Body{Area: &link.Area{Out: &image.Section{Body: code}}}}
	for _, x := range []struct {
		name, fde string
		ok        bool
	}{
		{"what the code does", right, true},
		{"the input's", head + "049800000004040000000c818080280000000000", true},
		{"another size", "00000000000000000004000000000000" + right[32:], false},
		{"a value lost where nothing is written", head + "047400000007868080280424000000" + "04040000000c818080280000000000", false},
		{"another register lost", head + "047800000007858080280404000000098780802886808028041c00000004040000000c818080280000000000", false},
		{"saved in another register", head + "047800000007868080280404000000098780802885808028041c00000004040000000c818080280000000000", false},
		{"a row of the input elsewhere", head + "047800000007868080280404000000098780802886808028041c00000004080000000c818080280000000000", false},
		{"a row of the input missing", head + "0478000000078680802804040000000987808028868080280000", false},
		{"cut short", head + "0478000000078680", false},
	} {
		c := &check{apply.New(&link.Link{Release: 134})}
		if ok := c.sameRows(frame{fde: want}, frame{fde: unhex(x.fde), id: id}); ok != x.ok {
			t.Errorf("%s: %v", x.name, ok)
		}
		c.Release = 130 // of the inputs, which a later release may link
		if ok := c.sameRows(frame{fde: want}, frame{fde: unhex(x.fde), id: id}); ok != x.ok {
			t.Errorf("%s: %v with inputs of 13.0", x.name, ok)
		}
		c.Options.Strict = true
		if x.name != "the input's" && c.sameRows(frame{fde: want}, frame{fde: unhex(x.fde), id: id}) {
			t.Errorf("%s: taken for 13.0's own", x.name)
		}
	}
}

// The frame of a function by nvlink 13.5 for sm_100, whose REDUX writes a uniform register and a
// move after it the register of the input's.
func TestFrameRowOfUniformMove(t *testing.T) {
	head := strings.Repeat("\x00", 8) + "\x80\x02" + strings.Repeat("\x00", 6)
	want := head + "\x0c\x81\x80\x80\x28\x00\x04\x6c\x00\x00\x00\x00"
	got := head + "\x0c\x81\x80\x80\x28\x00\x04\x5c\x00\x00\x00\x07\x8e\x80\x80\x28\x04\x10\x00\x00\x00\x00"
	code := make([]byte, 0x280)
	id := &link.Identity{Code: &link.Body{Area: &link.Area{Out: &image.Section{Body: code}}}}
	c := &check{apply.New(&link.Link{Release: 130})}
	for word, ok := range map[string]bool{
		"\x02\x7c\x0e\x00\x4f": true,  // MOV R14, UR79
		"\x02\x7c\x0d\x00\x4f": false, // MOV R13, UR79
		"\xc4\x73\x0e\x00\x0d": false, // REDUX
	} {
		copy(code[0x170:], word)
		if c.sameRows(frame{fde: want}, frame{fde: got, id: id}) != ok {
			t.Errorf("%x: want %v", word, ok)
		}
	}
}

// The frame of a kernel by nvlink 13.5 -r for sm_110: BMOV has a barrier register keep R2 for
// a time, of which the input's frame says nothing.
func TestFrameRowsOfBarriers(t *testing.T) {
	head := strings.Repeat("\x00", 8) + "\x80\x05" + strings.Repeat("\x00", 6)
	tail := "\x0c\x81\x80\x80\x28\x00\x04\xdc\x00\x00\x00"
	kept := "\x04\x1c\x00\x00\x00\x09\x82\x80\x80\x28\x80\x80\x80\x60"
	back := "\x04\x10\x00\x00\x00\x08\x82\x80\x80\x28"
	want := head + "\x04\x58\x00\x00\x00" + tail
	got := head + kept + back + "\x04\x2c\x00\x00\x00" + tail
	code := make([]byte, 0x580)
	id := &link.Identity{Code: &link.Body{Area: &link.Area{Out: &image.Section{Body: code}}}}
	c := &check{apply.New(&link.Link{Release: 130})}
	for _, x := range []struct {
		put, take string
		ok        bool
	}{
		{"\x52\x73\x00\x00\x02", "\x53\x73\x02\x00\x00", true},  // BMOV.32 B0, R2 and back
		{"\x52\x73\x00\x00\x03", "\x53\x73\x02\x00\x00", false}, // R3 is kept
		{"\x52\x73\x00\x01\x02", "\x53\x73\x02\x00\x00", false}, // in B1
		{"\x52\x73\x00\x00\x02", "\x53\x73\x03\x00\x00", false}, // R3 is back
		{"\x02\x72\x02\x00\x02", "\x53\x73\x02\x00\x00", false},
	} {
		copy(code[0x70:], x.put)
		copy(code[0xb0:], x.take)
		if c.sameRows(frame{fde: want}, frame{fde: got, id: id}) != x.ok {
			t.Errorf("%x %x: want %v", x.put, x.take, x.ok)
		}
	}
}
