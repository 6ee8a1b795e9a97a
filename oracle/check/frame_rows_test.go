package check

import (
	encoding "encoding/hex"
	"testing"
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
	id := &identity{code: &body{area: &area{out: &section{body: code}}}}
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
		c := &check{release: 134}
		if ok := c.sameRows(frame{fde: want}, frame{fde: unhex(x.fde), id: id}); ok != x.ok {
			t.Errorf("%s: %v", x.name, ok)
		}
		c.release = 130
		if c.sameRows(frame{fde: want}, frame{fde: unhex(x.fde), id: id}) {
			t.Errorf("%s: taken from 13.0", x.name)
		}
	}
}
