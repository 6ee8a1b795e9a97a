package symbols

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The sections of the links here: data, code, shared memory, and constants.
const (
	inData = iota + 1
	inCode
	inShared
	inConstants
)

func sections() []image.Section {
	return []image.Section{
		{},
		{Index: inData, Name: ".nv.global.init", Kind: cuda.SHTProgbits, Size: 64, Align: 16, Body: []byte(strings.Repeat("equal!!!", 8))},
		{Index: inCode, Name: ".text.f", Kind: cuda.SHTProgbits, Flags: cuda.SHFExec | cuda.SHFAlloc, Size: 64, Align: 128},
		{Index: inShared, Name: ".nv.shared.f", Kind: cuda.SHTCudaShared, Size: 64, Align: 16},
		{Index: inConstants, Name: ".nv.constant3", Kind: cuda.SHTCudaConstant0 + 3, Size: 64, Align: 16, Body: []byte(strings.Repeat("equal!!!", 8))},
	}
}

// linkWith is a link of objects: each has a symbol of the output beside what the input has.
func linkWith(ids []*link.Identity, out []image.Symbol) *check {
	c := &check{apply.New(link.New(1<<10, verdict.Options{}))}
	c.Out = &link.Output{Image: &image.Image{Sections: sections(), Symbols: []image.Symbol{{}}}, Refs: []link.Ref{{}}}
	for i, id := range ids {
		id.Order = i
		id.Out = len(c.Out.Symbols)
		out[i].Name = id.Name
		c.Out.Symbols = append(c.Out.Symbols, out[i])
		c.Out.Refs = append(c.Out.Refs, link.Ref{ID: id})
		c.IDs = append(c.IDs, id)
	}
	return c
}

func told(c *check) string {
	var list []string
	for _, f := range c.Verdict.Findings {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s %s/%s", f.Kind, f.Symbol, f.Section, f.Want, f.Got)))
	}
	return strings.Join(list, "; ")
}

// TestObjects puts objects where they may be and where they may not.
func TestObjects(t *testing.T) {
	m, n := &link.Module{Image: &image.Image{Sections: sections()}}, &link.Module{Image: &image.Image{Sections: sections()}}
	object := func(name string, m *link.Module, section int, at, size uint64) *link.Identity {
		return &link.Identity{Name: name, Info: byte(cuda.STTObject), Mod: m, Size: size, Def: &image.Symbol{Shndx: section, Value: at, Size: size}}
	}
	at := func(section int, value, size uint64) image.Symbol {
		return image.Symbol{Shndx: section, Info: byte(cuda.STTObject), Value: value, Size: size}
	}
	with := func(id *link.Identity, change func(id *link.Identity)) *link.Identity {
		change(id)
		return id
	}
	local := func(id *link.Identity) { id.Local = true }
	function := func(id *link.Identity) { id.Info = byte(cuda.STTFunc) }
	shared := func(id *link.Identity) { id.Other = cuda.STOShared }
	common := func(id *link.Identity) { id.Def, id.Mod, id.Common, id.FirstAlign, id.Align = nil, nil, true, 8, 64 }
	for i, x := range []struct {
		ids         []*link.Identity
		out         []image.Symbol
		relocatable bool
		want        string
	}{
		{[]*link.Identity{object("a", m, inData, 0, 16), object("b", n, inData, 0, 16)}, []image.Symbol{at(inData, 16, 16), at(inData, 0, 16)}, false, ""},

		// Inside.
		{[]*link.Identity{object("a", m, inData, 0, 16)}, []image.Symbol{at(inData, 48, 16)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 17)}, []image.Symbol{at(inData, 48, 17)}, false, "symbol.outside a .nv.global.init end at most 0x40/0x30+0x11"},
		{[]*link.Identity{object("a", m, inData, 0, 0)}, []image.Symbol{at(inData, 64, 0)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 0)}, []image.Symbol{at(inData, 80, 0)}, false, "symbol.outside a .nv.global.init end at most 0x40/0x50+0x0"},
		{[]*link.Identity{object("a", m, inData, 0, 16)}, []image.Symbol{at(inData, 1<<64-8, 16)}, false, "symbol.outside a .nv.global.init end at most 0x40/0xfffffffffffffff8+0x10; symbol.alignment a .nv.global.init a multiple of 0x10/0xfffffffffffffff8"},
		{[]*link.Identity{object("a", m, inData, 0, 16)}, []image.Symbol{at(0, 80, 16)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16)}, []image.Symbol{{Special: true, Shndx: cuda.SHNAbs, Value: 80, Size: 16}}, false, ""},
		{[]*link.Identity{with(object("a", m, inShared, 16, 16), shared)}, []image.Symbol{{Shndx: inShared, Other: cuda.STOShared, Value: 80, Size: 16}}, false, ""},
		{[]*link.Identity{with(object("f", m, inCode, 0, 16), function)}, []image.Symbol{{Shndx: inCode, Info: byte(cuda.STTFunc), Value: 80, Size: 16}}, false, "symbol.outside f .text.f end at most 0x40/0x50+0x10"},

		// A relocatable output has an alignment for the value of a shared variable.
		{[]*link.Identity{with(object("a", m, inShared, 16, 16), shared)}, []image.Symbol{{Shndx: inShared, Other: cuda.STOShared, Value: 128, Size: 16}}, true, ""},
		{[]*link.Identity{with(object("a", m, inShared, 16, 80), shared)}, []image.Symbol{{Shndx: inShared, Other: cuda.STOShared, Value: 16, Size: 80}}, true, "symbol.outside a .nv.shared.f a section of 0x50 bytes at least/0x40"},
		{[]*link.Identity{with(object("a", m, inShared, 16, 64), shared)}, []image.Symbol{{Shndx: inShared, Other: cuda.STOShared, Value: 16, Size: 64}}, true, ""},
		{[]*link.Identity{with(object("a", m, inShared, 16, 80), shared)}, []image.Symbol{{Special: true, Shndx: cuda.SHNCommon, Other: cuda.STOShared, Value: 16, Size: 80}}, true, ""},
		{[]*link.Identity{with(object("a", m, inShared, 16, 80), shared)}, []image.Symbol{{Shndx: 0, Other: cuda.STOShared, Value: 16, Size: 80}}, true, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16)}, []image.Symbol{{Shndx: inData, Other: cuda.STOReservedShared, Value: 80, Size: 16}}, true, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16)}, []image.Symbol{at(inData, 80, 16)}, true, "symbol.outside a .nv.global.init end at most 0x40/0x50+0x10"},

		// Aligned as the input's place is, and no more than its section.
		{[]*link.Identity{object("a", m, inData, 0, 4)}, []image.Symbol{at(inData, 8, 4)}, false, "symbol.alignment a .nv.global.init a multiple of 0x10/0x8"},
		{[]*link.Identity{object("a", m, inData, 8, 4)}, []image.Symbol{at(inData, 24, 4)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 8, 4)}, []image.Symbol{at(inData, 20, 4)}, false, "symbol.alignment a .nv.global.init a multiple of 0x8/0x14"},
		{[]*link.Identity{object("a", m, inData, 32, 4)}, []image.Symbol{at(inData, 16, 4)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 2, 4)}, []image.Symbol{at(inData, 3, 4)}, false, "symbol.alignment a .nv.global.init a multiple of 0x2/0x3"},
		{[]*link.Identity{object("a", m, inData, 1, 4)}, []image.Symbol{at(inData, 3, 4)}, false, ""},
		{[]*link.Identity{with(object("f", m, inCode, 0, 16), function)}, []image.Symbol{{Shndx: inCode, Info: byte(cuda.STTFunc), Value: 16, Size: 16}}, false, ""},
		{[]*link.Identity{with(object("a", m, inData, 0, 4), common)}, []image.Symbol{at(inData, 8, 4)}, false, ""},
		{[]*link.Identity{with(object("a", m, inData, 0, 4), common)}, []image.Symbol{at(inData, 4, 4)}, false, "symbol.alignment a .nv.global.init a multiple of 0x8/0x4"},
		{[]*link.Identity{with(object("a", m, inData, 0, 4), func(id *link.Identity) { id.Def.Special, id.Align = true, 32 })}, []image.Symbol{at(inData, 16, 4)}, false, "symbol.alignment a .nv.global.init a multiple of 0x20/0x10"},
		{[]*link.Identity{with(object("a", m, inData, 0, 4), func(id *link.Identity) { id.Def, id.Align = nil, 32 })}, []image.Symbol{at(inData, 16, 4)}, false, "symbol.alignment a .nv.global.init a multiple of 0x20/0x10"},

		// Apart.
		{[]*link.Identity{object("a", m, inData, 0, 32), object("b", n, inData, 0, 16)}, []image.Symbol{at(inData, 0, 32), at(inData, 16, 16)}, false, "symbol.overlap b .nv.global.init /"},
		{[]*link.Identity{object("a", m, inData, 0, 32), object("b", n, inData, 0, 16), object("c", n, inData, 16, 16)}, []image.Symbol{at(inData, 0, 48), at(inData, 0, 16), at(inData, 32, 16)}, false, "symbol.overlap b .nv.global.init /; symbol.overlap c .nv.global.init /"},
		{[]*link.Identity{object("a", m, inData, 0, 32), object("b", m, inData, 16, 16)}, []image.Symbol{at(inData, 0, 32), at(inData, 16, 16)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16), object("b", n, inConstants, 0, 16)}, []image.Symbol{at(inData, 0, 16), at(inConstants, 0, 16)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16), object("b", n, inData, 0, 16)}, []image.Symbol{at(inData, 0, 16), at(inData, 0, 0)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16), object("b", n, inData, 0, 0)}, []image.Symbol{at(inData, 0, 16), at(inData, 0, 8)}, false, ""},
		{[]*link.Identity{object("a", m, inData, 0, 16), with(object("b", n, inData, 0, 16), shared)}, []image.Symbol{at(inData, 0, 16), at(inData, 0, 16)}, false, ""},

		// Equal constants of two inputs may be one; no others.
		{[]*link.Identity{with(object("a", m, inConstants, 0, 8), local), with(object("b", n, inConstants, 8, 8), local)}, []image.Symbol{at(inConstants, 0, 8), at(inConstants, 0, 8)}, false, ""},
		{[]*link.Identity{object("a", m, inConstants, 0, 8), with(object("b", n, inConstants, 8, 8), local)}, []image.Symbol{at(inConstants, 0, 8), at(inConstants, 0, 8)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inConstants, 0, 8), local), object("b", n, inConstants, 8, 8)}, []image.Symbol{at(inConstants, 0, 8), at(inConstants, 0, 8)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inData, 0, 8), local), with(object("b", n, inData, 8, 8), local)}, []image.Symbol{at(inData, 0, 8), at(inData, 0, 8)}, false, "symbol.overlap b .nv.global.init /"},
		{[]*link.Identity{with(object("a", m, inConstants, 0, 8), local), with(object("b", n, inConstants, 4, 8), local)}, []image.Symbol{at(inConstants, 0, 8), at(inConstants, 0, 8)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inConstants, 0, 16), local), with(object("b", n, inConstants, 8, 8), local)}, []image.Symbol{at(inConstants, 0, 16), at(inConstants, 0, 8)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inConstants, 0, 16), local), with(object("b", n, inConstants, 8, 16), local)}, []image.Symbol{at(inConstants, 0, 16), at(inConstants, 8, 16)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inConstants, 0, 16), local), with(object("b", n, inConstants, 56, 16), local)}, []image.Symbol{at(inConstants, 0, 16), at(inConstants, 0, 16)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inConstants, 56, 16), local), with(object("b", n, inConstants, 0, 16), local)}, []image.Symbol{at(inConstants, 0, 16), at(inConstants, 0, 16)}, false, "symbol.overlap b .nv.constant3 /"},
		{[]*link.Identity{with(object("a", m, inData, 0, 8), common), with(object("b", m, inData, 0, 8), common)}, []image.Symbol{at(inData, 0, 8), at(inData, 0, 8)}, false, "symbol.overlap b .nv.global.init /"},
	} {
		c := linkWith(x.ids, x.out)
		c.Relocatable = x.relocatable
		if err := c.compareObjects(); err != nil {
			t.Fatal(err)
		}
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}
