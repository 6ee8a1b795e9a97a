package mercury_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

// Each number of a table is taken up to its limit, and refused after it with its line.
func TestParseLimits(t *testing.T) {
	const form, model = "form\t01000000\t100\t0.0\n", "model\t86+10\t40+2=1\n"
	const shape = form + model + "key\t48\nshape\tabc\t0\t7\n"
	const word = "const\t00000000000000000000000000000abc"
	many := func(n int, what, between string) string {
		return strings.TrimSuffix(strings.Repeat(what+between, n), between)
	}
	for _, c := range []struct{ above, format, most, more, want string }{
		{"", "form\t%s\t100\t0.0", "ffffffff", "100000000", `line 1: number "100000000"`},
		{"", "form\t01000000\t%s\t0.0", "65535", "65536", `line 1: number "65536"`},
		{"", "form\t01000000\t%s\t0.0", "100,120", "100,", `line 1: number ""`},
		{form, "model\t%s\t", "246+10", "247+10", `line 2: bits "247+10"`},
		{form, "model\t\t192+64=%s", "ffffffffffffffff", "00000000000000000", `line 2: number "00000000000000000"`},
		{form, "model\t\t%s=0", "0+64", "0+65", `line 2: bits "0+65"`},
		{form + model, "same\t%s\t0+10\t0", "246+10", "247+10", `line 3: fields "247+10" and "0+10"`},
		{form + model, "%s", many(64, "same\t1+1\t2+1\t0", "\n"), many(65, "same\t1+1\t2+1\t0", "\n"), `line 67: fields "1+1" and "2+1"`},
		{form + model, "key\t%s", "255", "256", `line 3: bit "256"`},
		{form + model + "same\t1+1\t2+1\t0\n", "key\t%s", "256", "257", `line 4: bit "257"`},
		{form + model, "key\t%s", many(32, "9", ","), many(33, "9", ","), `line 3: key of 33 bits`},
		{form + model, "shape\t%s\t0\t7", "ffffffff", "100000000", `line 3: number "100000000"`},
		{form + model, "shape\t1\t%s\t7", "ffffffff", "100000000", `line 3: number "100000000"`},
		{form + model, "shape\t1\t0\t%s", "2147483647", "2147483648", `line 3: number "2147483648"`},
		{form + model, "shape\t%s\t0\t7", "1 2", "", `line 3: shape of 0`},
		{form + model, "shape\t1\t%s\t7\nshape\t2\t0\t7", "1 2", "0 2", `key 0 chooses two shapes`},
		{shape, "%s", word, word + "\t00", `line 5: 2 words for 1`},
		{shape, "const\t%s", many(16, "00", ""), many(17, "00", ""), `line 5: word "` + many(17, "00", "") + `"`},
		{shape, "free\t%s", "127+1", "128+1", `line 5: bits "128+1"`},
		{shape, "free\t%s", "0+64", "63+2", `line 5: bits "63+2"`},
		{shape, "free\t%s", "64+64", "1+0", `line 5: bits "1+0"`},
		{shape, "bit\t1+1\t%s", "255", "256", `line 5: number "256"`},
		{shape, "not\t1+1\t%s", "255", "256", `line 5: number "256"`},
		{shape, "sum\t1+1\t%s\t0", "255", "256", `line 5: number "256"`},
		{shape, "sum\t1+1\t2\t9\t%s", "ffffffff=0", "100000000=0", `line 5: number "100000000"`},
		{shape, "table\t1\t9\t0=%s", "ffffffffffffffff", "fffffffffffffffg", `line 5: number "fffffffffffffffg"`},
		{shape, "table\t1\t9\t%s=0", "ffffffff", "100000000", `line 5: number "100000000"`},
		{shape, "table\t%s\t9\t0=0", many(64, "1", ","), many(65, "1", ","), `line 5: table of 65 bits`},
		{shape, "table\t%s\t9\t0=0", "127", "128", `line 5: bits "128+1"`},
		{"", "%s", "# a remark\n\n" + form, "free\t1+1", `line 1: "free" before a form and its model`},
		{form, "%s", model, "free\t1+1", `line 2: "free" before a form and its model`},
		{form, "%s", model, "key\t1", `line 2: "key" before a form and its model`},
		{form + model, "%s", "key\t1", "free\t1+1", `line 3: "free" before a shape`},
		{shape + form, "%s", model, "key\t1", `line 6: "key" before a form and its model`},
		{shape + form + model, "%s", "key\t1", "free\t1+1", `line 7: "free" before a shape`},
		{shape, "%s", word, "bit\t1+1", `line 5: "bit" with 1 fields`},
		{shape, "%s", word, "bits\t1+1\t2", `line 5: "bits" with 2 fields`},
	} {
		if _, err := mercury.Parse(c.above + fmt.Sprintf(c.format, c.most) + "\n"); err != nil {
			t.Errorf("%q: %v", c.most, err)
		}
		_, err := mercury.Parse(c.above + fmt.Sprintf(c.format, c.more) + "\n")
		if err == nil || err.Error() != c.want {
			t.Errorf("%q of %q: %v, want %s", c.more, c.format, err, c.want)
		}
	}
}

// A number of a word's opcode is a plain's, and one of more bits a form's; a plain has one opcode.
func TestParsePlain(t *testing.T) {
	const model = "model\t\t\n"
	for text, want := range map[string]bool{
		"plain\tabc\t100\t0.0\n" + model + "shape\tabc\t0\t1\n": true, "plain\tabc\t100\t0.0\n" + model + "shape\tabc abc\t0\t1\n": false,
		"plain\t01000000\t100\t0.0\n": false, "form\tabc\t100\t0.0\n": false,
	} {
		if _, err := mercury.Parse(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
