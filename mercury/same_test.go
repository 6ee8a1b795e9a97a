package mercury_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// Moves of two registers, of which some are the same, and a macro that 13.5 makes otherwise
// than 13.0 for sm_120, and one of six words that ptxas 12.9 makes otherwise, and what rules once had otherwise: as each makes them, by the table and by a decoder that
// remembers.
func TestMoves(t *testing.T) {
	b, err := os.ReadFile("testdata/moves.txt")
	if err != nil {
		t.Fatal(err)
	}
	decoders, met := map[cuda.SM]*mercury.Decoder{}, [7]int{}
	for l := range strings.Lines(string(b)) {
		f := strings.Fields(l)
		if f[0] == "#" {
			continue
		}
		number, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		sm, record := cuda.SM(number), unhex(t, f[2])
		d := decoders[sm]
		if d == nil {
			d = mercury.Default().Decoder(sm)
			decoders[sm] = d
		}
		var sass []mercury.Word
		for _, w := range f[3:] {
			sass = append(sass, mercury.GetWord(unhex(t, w)))
		}
		if met[len(sass)]++; len(sass) == 0 {
			continue
		}
		for _, decode := range []func(r []byte, sass, want, mask []mercury.Word) mercury.Reason{
			d.Decode,
			func(r []byte, sass, want, mask []mercury.Word) mercury.Reason {
				return mercury.Decode(sm, r, sass, want, mask)
			},
		} {
			want, mask := make([]mercury.Word, len(sass)), make([]mercury.Word, len(sass))
			if why := decode(record, sass, want, mask); why != mercury.Known {
				t.Errorf("%s: %q", l, why)
			} else if !under(mask, want, sass) {
				t.Errorf("%s: %v, nvlink makes %v", l, want, sass)
			}
			sass[0].Lo ^= 1 << 20
			if why := decode(record, sass, want, mask); why == mercury.Known && under(mask, want, sass) {
				t.Errorf("%s: another register is as well", l)
			}
			sass[0].Lo ^= 1 << 20
		}
		if len(sass) == 1 {
			if same, known := d.Same(record, sass[0]); known && !same {
				t.Errorf("%s: another word", l)
			}
		}
	}
	if met[0] < 2 || met[1] < 10 || met[2] < 60 || met[3] < 60 {
		t.Errorf("of no, one, two and three words: %v", met)
	}
}

// under reports whether words are the same under masks.
func under(mask, a, b []mercury.Word) bool {
	for i, m := range mask {
		if (a[i].Lo^b[i].Lo)&m.Lo|(a[i].Hi^b[i].Hi)&m.Hi != 0 {
			return false
		}
	}
	return true
}
