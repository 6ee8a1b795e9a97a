package mercury_test

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

// A table of one form, by hand: two bits choose one of two opcodes.
const small = `form	01000000	100,120	0.0
model	86+10	40+2=1
key	48
shape	abc	0	7
const	00000000000000000000000000000abc
bit	16+8	86
table	24,25	50,51	0=0 1=2
shape	abd abe	1	8
const	00000000000000000000000000000abd	00000000000000000000000000000abe
not	144+8	86
sum	64+4	96	3
`

func TestParse(t *testing.T) {
	table, err := mercury.Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	record := []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0x80, 0x01, 0, 0, 0, 0} // operand 6
	record[6] = 4
	one := make([]mercury.Word, 1)
	want, mask := make([]mercury.Word, 2), make([]mercury.Word, 2)
	if why := table.Decode(100, record, one, want[:1], mask[:1]); why != mercury.Known {
		t.Fatal(why)
	}
	if want[0].Lo != 0xabc|6<<16|2<<24 {
		t.Errorf("word %x", want[0].Lo)
	}
	record[6] = 8
	if why := table.Decode(100, record, one, want[:1], mask[:1]); why != mercury.NoRow {
		t.Errorf("a row that isn't there: %q", why)
	}
	record[6] = 1
	if why := table.Decode(120, record, make([]mercury.Word, 2), want, mask); why != mercury.Known {
		t.Fatal(why)
	}
	if want[0] != (mercury.Word{Lo: 0xabd, Hi: 3}) || want[1].Lo != 0xabe|0xf9<<16 {
		t.Errorf("words %x", want)
	}
	record[5] = 2
	if why := table.Decode(120, record, make([]mercury.Word, 2), want, mask); why != mercury.Unseen {
		t.Errorf("a bit that was never so: %q", why)
	}
	record[5], record[11] = 1, 0xf0
	if why := table.Decode(120, record, make([]mercury.Word, 2), want, mask); why != mercury.Operand {
		t.Errorf("no register: %q", why)
	}
}

// A key of whether two fields are equal.
func TestParseSame(t *testing.T) {
	const model = "form\t01000000\t100\t0.0\nmodel\t86+10 102+10\t\n"
	table, err := mercury.Parse(model + "same\t102+10\t86+10\t1\nkey\t256\n" +
		"shape\tabc\t1\t7\nconst\t00000000000000000000000000000abc\nshape\tabc abc\t0\t7\nconst\t00000000000000000000000000000abc\t00000000000000000000000000000abc\n")
	if err != nil {
		t.Fatal(err)
	}
	d := table.Decoder(100)
	for a := range 3 {
		for b := range 5 {
			record := []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(a << 6), 0, byte(b << 6), byte(b >> 2), 0, 0}
			want := 2
			if b == a+1 {
				want = 1
			}
			words := make([]mercury.Word, 3*want)
			if n := table.Words(100, record); n != want {
				t.Errorf("%d and %d: %d words, want %d", a, b, n, want)
			}
			if why := d.Decode(record, words[:want], words[want:2*want], words[2*want:]); why != mercury.Known {
				t.Errorf("%d and %d: %q", a, b, why)
			}
		}
	}
	for _, line := range []string{"same\t86+10\t102+8\t0", "same\t250+10\t86+10\t0", "same\t86+10\t102+10\tx", "same\t86+10\t102+10", "key\t1\nsame\t86+10\t102+10\t0"} {
		if _, err := mercury.Parse(model + line + "\n"); err == nil {
			t.Errorf("accepted %q", line)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	if _, err := mercury.Parse(small); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"nothing\t1", "form\t1", "form\tx\t100\t0.0", "bit\t60+8\t1", "bit\t200+1\t1", "bit\t1+0\t1", "bit\t1+1\t256",
		"same\t86+10\t96+10\t0", "key\t256", "table\t0\t256\t0=0", "const\t00", "table\t1\t1\t0=g", "table\t999\t1\t0=0", "sum\t1+65\t2\t3", "free\t300+1",
	} {
		if _, err := mercury.Parse(small[:strings.Index(small, "shape\tabd")] + line + "\n"); err == nil {
			t.Errorf("accepted %q", line)
		}
	}
	for bits, refused := range map[string]bool{"240+10": false, "250+10": true} {
		if _, err := mercury.Parse(strings.Replace(small, "86+10", bits, 1)); (err != nil) != refused {
			t.Errorf("a model by the bits %s: %v", bits, err)
		}
	}
	if _, err := mercury.Parse("bit\t1+1\t1\n"); err == nil {
		t.Error("accepted a rule without a form")
	}
}
