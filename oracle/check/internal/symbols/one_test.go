package symbols

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestNamesOfOnePlace knows two names of one module that share bytes for one thing, and others not.
func TestNamesOfOnePlace(t *testing.T) {
	one, other := &link.Module{Image: &image.Image{Sections: make([]image.Section, 3)}}, &link.Module{Image: &image.Image{Sections: make([]image.Section, 3)}}
	named := func(m *link.Module, section int, value, size uint64) *link.Identity {
		return &link.Identity{Mod: m, Size: size, Def: &image.Symbol{Shndx: section, Value: value, Size: size}}
	}
	both := named(one, 1, 8, 16)
	c := &check{}
	for _, x := range []struct {
		b    *link.Identity
		want bool
	}{
		{named(one, 1, 8, 16), true},
		{named(one, 1, 16, 4), true},
		{named(one, 1, 4, 8), true},
		{named(one, 1, 24, 4), false},
		{named(one, 2, 8, 16), false},
		{named(other, 1, 8, 16), false},
		{&link.Identity{}, false},
	} {
		if got := c.areOne(both, x.b); got != x.want {
			t.Errorf("%+v: %v", x.b.Def, got)
		}
		if got := c.areOne(x.b, both); got != x.want {
			t.Errorf("%+v first: %v", x.b.Def, got)
		}
	}
}
