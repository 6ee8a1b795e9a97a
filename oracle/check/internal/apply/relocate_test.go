package apply

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// The second unit of .nv.merc.debug_info names its line table, which is after that of the first
// object, 704 bytes long: nvlink 13.0 and 13.5 write 704 where the input has 0.
func TestMergedAddend(t *testing.T) {
	lines, code := &image.Section{Index: 1, Name: ".debug_line"}, &image.Section{Index: 2, Name: ".text.f"}
	m := &link.Module{Image: &image.Image{
		Sections: []image.Section{{}, *lines, *code},
		Symbols: []image.Symbol{{}, {Shndx: 1, Info: byte(cuda.STTSection)}, {Shndx: 2, Info: byte(cuda.STTSection)},
			{Shndx: 1, Info: byte(cuda.STTFunc)}},
	}, Places: []link.Place{{}, {Part: &link.Part{Section: lines, Base: 704, Placed: true}}, {Part: &link.Part{Section: code, Base: 704, Placed: true}}, {}}}
	for _, x := range []struct {
		name   string
		record image.Record
		want   int64
	}{
		{"the unit's table", image.Record{Kind: cuda.R_MERCURY_PROG_REL32, Symbol: 1}, 704},
		{"a place in it", image.Record{Kind: cuda.R_MERCURY_PROG_REL32, Symbol: 1, Addend: 8}, 712},
		{"before it", image.Record{Kind: cuda.R_MERCURY_PROG_REL32, Symbol: 1, Addend: -8}, -8},
		{"an address", image.Record{Kind: cuda.R_MERCURY_ABS64, Symbol: 1}, 0},
		{"code", image.Record{Kind: cuda.R_MERCURY_PROG_REL32, Symbol: 2}, 0},
		{"no section", image.Record{Kind: cuda.R_MERCURY_PROG_REL32, Symbol: 3}, 0},
	} {
		if got := (&Applied{}).mergedAddend(m, x.record); got != x.want {
			t.Errorf("%s: %d, want %d", x.name, got, x.want)
		}
	}
	m.Places[1].Part.Placed = false
	if got := (&Applied{}).mergedAddend(m, image.Record{Kind: cuda.R_MERCURY_PROG_REL32, Symbol: 1}); got != 0 {
		t.Errorf("a place that was not found: %d", got)
	}
}
