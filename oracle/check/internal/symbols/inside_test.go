package symbols

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestInside: the symbol of a function inside a kernel goes along with its words, and ends where what follows it begins.
func TestInside(t *testing.T) {
	words := &sass.WordMap{To: []int32{0, 1, 4, 5}, From: []int32{0, 1, -1, -1, 2, 3}}
	for i, x := range []struct {
		words        *sass.WordMap
		from, size   uint64 // in the input
		value, found uint64 // of the output's symbol, its size
		side         image.Side
		want         string
	}{
		{words, 32, 32, 64, 32, image.SassSide, ""},
		{words, 16, 48, 16, 80, image.SassSide, ""},
		{words, 32, 32, 32, 32, image.SassSide, "symbol.value $k$f  0x40/0x20"},
		{words, 16, 48, 16, 48, image.SassSide, "symbol.size $k$f  0x50/0x30"},
		{words, 0, 64, 0, 96, image.SassSide, "symbol.size $k$f  0x40/0x60"}, // the kernel itself is as long as its section
		{&sass.WordMap{Identity: true}, 32, 32, 32, 32, image.SassSide, ""},
		{&sass.WordMap{Identity: true}, 32, 32, 64, 32, image.SassSide, "symbol.value $k$f  0x20/0x40"},
		{nil, 32, 32, 32, 32, image.SassSide, ""},
	} {
		id := &link.Identity{Name: "$k$f", Info: global | fn, Size: x.size, Def: &image.Symbol{Value: x.from}}
		a := &link.Area{Name: ".text.f", Size: 64, Out: &image.Section{Index: inCode, Body: make([]byte, 96)}, Words: x.words}
		id.Code = &link.Body{Area: a, Owner: &link.Identity{Name: "k"}, Names: []*link.Identity{id}}
		c := linkWith([]*link.Identity{id}, []image.Symbol{{Shndx: inCode, Info: global | fn, Value: x.value, Size: x.found}})
		c.Release, c.Out.Side = 130, x.side
		c.compareSymbol(id, &c.Out.Symbols[1])
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}
