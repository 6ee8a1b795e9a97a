package shared

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// own gives the input of a function a section of shared memory for it, of a length.
func (c *check) own(t *testing.T, name string, size uint64) *image.Image {
	t.Helper()
	for _, id := range c.IDs {
		if id.Name == name {
			m := id.Code.Mod
			m.Sections = []image.Section{{}, *id.Code.Section, {Index: 2, Name: ".nv.shared." + name, Kind: cuda.SHTCudaShared, Flags: cuda.SHFInfoLink, Info: 1, Size: size, Align: 4}}
			m.Bodies = map[int]*link.Body{1: id.Code}
			c.Modules = append(c.Modules, m)
			return m.Image
		}
	}
	t.Fatal(name)
	return nil
}

// TestNameless: what a kernel's code uses without a name is where the code says, at the beginning of its section: a
// link of ptxas 13.0's object by nvlink 13.0 in two steps has no section for it.
func TestNameless(t *testing.T) {
	symbol := func(shndx int, name string, kind cuda.SymbolType) func(*image.Image) {
		return func(f *image.Image) { f.Symbols = []image.Symbol{{}, {Name: name, Shndx: shndx, Info: byte(kind)}} }
	}
	for i, x := range []struct {
		calls, variables string
		of               string
		size             uint64
		sizes            map[string]uint64
		change           func(*image.Image)
		want             string
	}{
		{"", "", "k", 36, map[string]uint64{"k": 36}, nil, ""},
		{"", "", "k", 36, map[string]uint64{"k": 64}, nil, ""},
		{"", "", "k", 36, map[string]uint64{"k": 35}, nil, "shared.size .nv.shared.k"},
		{"", "", "k", 36, nil, nil, "shared.size .nv.shared.k"},
		{"", "", "k", 0, nil, nil, ""},
		{"", "", "f", 36, nil, nil, ""}, // no kernel

		// What others put there.
		{"", "a@32:16k", "k", 32, map[string]uint64{"k": 48}, nil, ""},
		{"", "a@24:16k", "k", 32, map[string]uint64{"k": 48}, nil, "shared.overlap a"},
		{"k>f", "a@24:16f", "k", 32, map[string]uint64{"k": 48}, nil, "shared.overlap a"},
		{"k>f", "a@24:16l,f", "l", 32, map[string]uint64{"k": 48, "l": 48}, nil, "shared.overlap a"},
		{"l>f", "a@24:16f", "k", 32, map[string]uint64{"k": 48, "l": 48}, nil, ""},
		{"", "x@32:0k", "k", 32, map[string]uint64{"k": 32}, nil, ""},
		{"", "x@16:0k", "k", 32, map[string]uint64{"k": 32}, nil, "shared.overlap x"},

		// Sections in which something has a name, or for which an earlier link left room.
		{"", "", "k", 36, nil, symbol(2, "v", cuda.STTCudaObject), ""},
		{"", "", "k", 36, nil, symbol(2, "", cuda.STTSection), "shared.size .nv.shared.k"},
		{"", "", "k", 36, nil, symbol(1, "k", cuda.STTFunc), "shared.size .nv.shared.k"},
		{"", "", "k", 36, nil, symbol(0, link.ExternInstance, cuda.STTCudaObject), ""},
		{"", "", "k", 36, nil, func(f *image.Image) { f.Sections[2].Kind = cuda.SHTCudaLocal }, ""},
		{"", "", "k", 36, nil, func(f *image.Image) { f.Sections[2].Info = 0 }, ""},
	} {
		c := linkOf(t, x.calls, x.variables, x.sizes)
		f := c.own(t, x.of, x.size)
		if x.change != nil {
			x.change(f)
		}
		if err := c.compareShared(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range c.Verdict.Findings {
			list = append(list, f.Kind.String()+" "+f.Symbol)
		}
		if got := strings.Join(list, "; "); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestTooLong: no kernel asks for more than all variables together.
func TestTooLong(t *testing.T) {
	for i, x := range []struct {
		size uint64
		want bool
	}{{32, false}, {4096, false}, {4096 + 32 + 16 + 36 + 4, false}, {4096 + 32 + 16 + 36 + 4 + 1, true}, {1<<64 - 20, true}} {
		c := linkOf(t, "", "a@40:32k", map[string]uint64{"k": x.size})
		c.own(t, "k", 36)
		for key, a := range c.ByKey {
			a.Base, a.Owner, c.Areas = key.Base, key.Owner, append(c.Areas, a)
		}
		c.compareSizes()
		if got := c.Verdict.Total > 0; got != x.want {
			t.Errorf("%d: %d bytes: %v", i, x.size, c.Verdict.Findings)
		}
	}
}

// TestSharedOfParts: what -r makes has a section for each kernel whose input has one.
func TestSharedOfParts(t *testing.T) {
	for i, x := range []struct {
		size  uint64
		sizes map[string]uint64
		live  bool
		want  string
	}{
		{36, map[string]uint64{"k": 36}, true, ""},
		{36, map[string]uint64{"k": 40}, true, ""},
		{36, map[string]uint64{"k": 35}, true, "shared.size .nv.shared.k k at least 0x24/0x23"},
		{36, nil, true, "shared.size .nv.shared.k k at least 0x24/0x0"},
		{0, nil, true, ""},
		{36, nil, false, ""},
	} {
		c := linkOf(t, "", "", x.sizes)
		c.own(t, "k", x.size)
		c.Relocatable = true
		c.Modules[0].Bodies[1].Live = x.live
		if err := c.compareShared(); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range c.Verdict.Findings {
			got += f.Kind.String() + " " + f.Section + " " + f.Symbol + " " + f.Want + "/" + f.Got
		}
		if got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestSharedAlignment: a section's alignment is a power of two, or none.
func TestSharedAlignment(t *testing.T) {
	for align, want := range map[uint64]bool{0: true, 1: true, 16: true, 128: true, 3: false, 352: false, 127: false} {
		c := linkOf(t, "", "", map[string]uint64{"k": 16})
		for key, a := range c.ByKey {
			a.Base, a.Owner, a.Out.Align, c.Areas = key.Base, key.Owner, align, append(c.Areas, a)
		}
		if c.compareSizes(); c.Verdict.Total == 0 != want {
			t.Errorf("%d: %v", align, c.Verdict.Findings)
		}
	}
}
