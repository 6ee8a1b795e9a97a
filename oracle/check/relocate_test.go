package check

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// The second unit of .nv.merc.debug_info names its line table, which lies behind that of the first
// object, 704 bytes long: nvlink 13.0 and 13.5 write 704 where the input has 0.
func TestMergedAddend(t *testing.T) {
	lines, code := &section{index: 1, name: ".debug_line"}, &section{index: 2, name: ".text.f"}
	m := &module{image: &image{
		sections: []section{{}, *lines, *code},
		symbols: []symbol{{}, {shndx: 1, info: byte(cuda.STTSection)}, {shndx: 2, info: byte(cuda.STTSection)},
			{shndx: 1, info: byte(cuda.STTFunc)}},
	}, places: []place{{}, {part: &part{section: lines, base: 704, placed: true}}, {part: &part{section: code, base: 704, placed: true}}, {}}}
	for _, x := range []struct {
		name   string
		record record
		want   int64
	}{
		{"the unit's table", record{kind: cuda.R_MERCURY_PROG_REL32, symbol: 1}, 704},
		{"a place in it", record{kind: cuda.R_MERCURY_PROG_REL32, symbol: 1, addend: 8}, 712},
		{"before it", record{kind: cuda.R_MERCURY_PROG_REL32, symbol: 1, addend: -8}, -8},
		{"an address", record{kind: cuda.R_MERCURY_ABS64, symbol: 1}, 0},
		{"code", record{kind: cuda.R_MERCURY_PROG_REL32, symbol: 2}, 0},
		{"no section", record{kind: cuda.R_MERCURY_PROG_REL32, symbol: 3}, 0},
	} {
		if got := (&check{}).mergedAddend(m, x.record); got != x.want {
			t.Errorf("%s: %d, want %d", x.name, got, x.want)
		}
	}
	m.places[1].part.placed = false
	if got := (&check{}).mergedAddend(m, record{kind: cuda.R_MERCURY_PROG_REL32, symbol: 1}); got != 0 {
		t.Errorf("a place that was not found: %d", got)
	}
}
