package mercury_test

import (
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

// Moves of two registers, where some of the four are the same: as nvlink makes them, by
// the table and by a decoder that remembers. Where nvlink makes no word nothing is known.
func TestMoves(t *testing.T) {
	b, err := os.ReadFile("testdata/moves.txt")
	if err != nil {
		t.Fatal(err)
	}
	d, met := mercury.Default().Decoder(100), [3]int{}
	for l := range strings.Lines(string(b)) {
		f := strings.Fields(l)
		if f[0] == "#" {
			continue
		}
		record := unhex(t, f[0])
		var sass []mercury.Word
		for _, w := range f[1:] {
			sass = append(sass, mercury.GetWord(unhex(t, w)))
		}
		if met[len(sass)]++; len(sass) == 0 {
			if n := mercury.Default().Words(100, record); n != 0 {
				t.Errorf("%s: %d words, nvlink makes none", f[0], n)
			}
			continue
		}
		for _, decode := range []func(r []byte, sass, want, mask []mercury.Word) mercury.Reason{
			d.Decode,
			func(r []byte, sass, want, mask []mercury.Word) mercury.Reason {
				return mercury.Decode(100, r, sass, want, mask)
			},
		} {
			want, mask := make([]mercury.Word, len(sass)), make([]mercury.Word, len(sass))
			if why := decode(record, sass, want, mask); why != mercury.Known {
				t.Errorf("%s: %q", f[0], why)
				continue
			}
			for i, w := range want {
				if got := (mercury.Word{Lo: sass[i].Lo & mask[i].Lo, Hi: sass[i].Hi & mask[i].Hi}); got != (mercury.Word{Lo: w.Lo & mask[i].Lo, Hi: w.Hi & mask[i].Hi}) {
					t.Errorf("%s: word %d is %v, nvlink makes %v", f[0], i, w, sass[i])
				}
			}
		}
	}
	if met[0] < 2 || met[1] < 10 || met[2] < 60 {
		t.Errorf("of no, one and two words: %v", met)
	}
}
