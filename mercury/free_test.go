package mercury_test

import (
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

// Bits that a table leaves free are so in each half of each word, and no others are.
func TestFreeBits(t *testing.T) {
	const form = `form	01000000	200	0.0
model	86+10	40+2=1
key	48
shape	abc abd	0	7
const	00000000000000000000000000000abc	00000000000000000000000000000abd
`
	compared := mercury.Word{Lo: ^uint64(0), Hi: 1<<41 - 1} // without the schedule
	record := []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, c := range []struct {
		lines string
		free  [2]mercury.Word
	}{
		{"", [2]mercury.Word{}},
		{"free\t20+1\n", [2]mercury.Word{{Lo: 1 << 20}}},
		{"free\t62+2\nfree\t64+2\n", [2]mercury.Word{{Lo: 3 << 62, Hi: 3}}},
		{"free\t103+1\nfree\t128+2\n", [2]mercury.Word{{Hi: 1 << 39}, {Lo: 3}}},
		{"free\t191+1\nfree\t192+1\n", [2]mercury.Word{{}, {Lo: 1 << 63, Hi: 1}}},
		{"free\t24+8\nfree\t224+6\n", [2]mercury.Word{{Lo: 0xff << 24}, {Hi: 0x3f << 32}}},
	} {
		table, err := mercury.Parse(form + c.lines)
		if err != nil {
			t.Fatalf("%q: %v", c.lines, err)
		}
		want, mask := make([]mercury.Word, 2), make([]mercury.Word, 2)
		if why := table.Decode(200, record, make([]mercury.Word, 2), want, mask); why != mercury.Known {
			t.Fatalf("%q: %s", c.lines, why)
		}
		for i := range mask {
			if got := (mercury.Word{Lo: compared.Lo &^ mask[i].Lo, Hi: compared.Hi &^ mask[i].Hi}); got != c.free[i] {
				t.Errorf("%q: of word %d %#x %#x are free, want %#x %#x", c.lines, i, got.Lo, got.Hi, c.free[i].Lo, c.free[i].Hi)
			}
		}
	}
}
