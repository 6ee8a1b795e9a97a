package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// An object of ptxas 13.5 (of alone/mapa.ptx, -g -O0) in which a MAPA of 64 bits moves the upper half of %rd2 from R3 to R5:
// that ends in R3 there, and begins in R5, where it may end at any word after.
func TestRangeFollowsMove(t *testing.T) {
	const move, end = 0x150, 0x230
	edges := func(start, end uint32) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, start), end)
	}
	for _, c := range []struct {
		start, end, newStart, newEnd uint32
		want                         selfcheck.Verdict
	}{
		{move, end, move, end, selfcheck.Pass},
		{move, end, move, 0x1c0, selfcheck.Pass},
		{move, end, move, move, selfcheck.Fail},
		{move, end, move, end + 16, selfcheck.Fail},
		{move, end, move + 16, end, selfcheck.Fail},
		{0x130, move, 0x130, move + 16, selfcheck.Fail},
		{0x130, move, 0x130, move - 16, selfcheck.Fail},
	} {
		data, err := os.ReadFile("testdata/alone/mapa-13.5.cubin")
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(data, edges(c.start, c.end))
		if at < 0 || bytes.Contains(data[at+1:], edges(c.start, c.end)) {
			t.Fatalf("%x to %x: no range, or several", c.start, c.end)
		}
		copy(data[at:], edges(c.newStart, c.newEnd))
		if r := selfcheck.Check("mapa", data, selfcheck.Options{}); r.Verdict != c.want {
			t.Errorf("%x to %x: %v, want %v: %v", c.newStart, c.newEnd, r.Verdict, c.want, r.Findings)
		}
	}
}
