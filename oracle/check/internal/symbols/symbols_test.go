package symbols

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

const (
	global = byte(cuda.STBGlobal) << 4
	weak   = byte(cuda.STBWeak) << 4
	plain  = byte(cuda.STTObject)
	typed  = byte(cuda.STTCudaObject)
	fn     = byte(cuda.STTFunc)
)

// TestSymbol holds one symbol of the output against what the inputs say of its name.
func TestSymbol(t *testing.T) {
	data := &link.Area{Name: ".nv.global.init", Out: &image.Section{Index: inData}}
	text := &link.Area{Name: ".text.f", Out: &image.Section{Index: inCode}, Words: &sass.WordMap{Identity: true}}
	moved := &link.Area{Name: ".text.f", Out: &image.Section{Index: inCode}, Words: &sass.WordMap{}}
	variable := link.Identity{Name: "v", Info: global | typed, Size: 8, Def: &image.Symbol{}, At: data, Placed: true, Value: 16}
	function := link.Identity{Name: "f", Info: global | fn, Size: 32, Def: &image.Symbol{}, Code: &link.Body{Area: text}}
	nobodys := link.Identity{Name: "x", Info: global | typed}
	v := image.Symbol{Shndx: inData, Info: global | plain, Value: 16, Size: 8}
	f := image.Symbol{Shndx: inCode, Info: global | fn, Size: 32}
	none := func(*link.Identity, *image.Symbol, *check) {}
	r := func(id *link.Identity, s *image.Symbol, c *check) { c.Relocatable, s.Info = true, s.Info|typed }
	for i, x := range []struct {
		id   link.Identity
		is   image.Symbol
		edit func(id *link.Identity, s *image.Symbol, c *check)
		want string
	}{
		{variable, v, none, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Info = global | typed }, "symbol.type v  0x1/0xd"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Info = weak | plain }, "symbol.binding v  0x1/0x2"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Other = 2 }, "symbol.other v  0x0/0x2"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { id.Other = 0x20 }, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Size = 4 }, "symbol.size v  0x8/0x4"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Shndx = inConstants }, "symbol.section v  .nv.global.init/.nv.constant3"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Shndx, s.Special = cuda.SHNAbs, true }, "symbol.section v  .nv.global.init/0xfff1"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { s.Value = 8 }, "symbol.value v  0x10/0x8"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { id.Placed, s.Value = false, 8 }, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { r(id, s, c) }, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { c.Relocatable = true }, "symbol.type v  0xd/0x1"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { c.Side, s.Info = image.MercurySide, global|typed }, ""},

		// A constant of the compiler that is nowhere has a symbol all the same.
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Other, s.Other, id.At, s.Shndx = cuda.STOInternal, cuda.STOInternal, nil, 0
		}, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Other, s.Other, id.At, s.Shndx = cuda.STOInternal, cuda.STOInternal, &link.Area{}, inConstants
		}, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Other, s.Other, id.At, s.Shndx = cuda.STOInternal, cuda.STOInternal, &link.Area{Moved: true, Out: data.Out}, inConstants
		}, ""},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Other, s.Other, s.Shndx = cuda.STOInternal, cuda.STOInternal, inConstants
		}, "symbol.section v  .nv.global.init/.nv.constant3"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { id.At, s.Shndx = nil, inConstants }, "symbol.section v  /.nv.constant3"},

		// Functions: ptxas omits the size of a second name, and the finalizer may change that of the code.
		{function, f, none, ""},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) { s.Value = 16 }, "symbol.value f  0x0/0x10"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) { id.Def = &image.Symbol{Value: 16} }, "symbol.value f  0x10/0x0"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Def, id.Code, id.Size, s.Size, s.Shndx = nil, nil, 0, 0, 0
		}, ""},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Def, id.Code, id.Size, s.Size, s.Shndx, s.Value = nil, nil, 0, 0, 0, 8
		}, "symbol.value f  0x0/0x8"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) { s.Size = 64 }, "symbol.size f  0x20/0x40"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) { c.Out.Side, s.Size = image.SassSide, 64 }, "symbol.size f  0x20/0x40"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Code, c.Out.Side, s.Size = &link.Body{Area: moved}, image.SassSide, 64
		}, ""},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Code, c.Out.Side = &link.Body{Area: moved}, image.SassSide
		}, "symbol.size f  0x40/0x20"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) { id.Code, s.Size = &link.Body{Area: moved}, 64 }, "symbol.size f  0x20/0x40"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Def, id.Code, c.Out.Side, s.Value = &image.Symbol{Value: 8}, &link.Body{Area: moved}, image.SassSide, 8
		}, ""},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Code, id.Size, c.Out.Side = &link.Body{Area: text, Owner: &link.Identity{Size: 32}}, 0, image.SassSide
		}, ""},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Code, id.Size, c.Out.Side, s.Size = &link.Body{Area: text, Owner: &link.Identity{Size: 32}}, 0, image.SassSide, 16
		}, "symbol.size f  0x0/0x10"},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Code, c.Out.Side, s.Size = &link.Body{Area: text, Owner: &link.Identity{Size: 32}}, image.SassSide, 0
		}, ""},
		{function, f, func(id *link.Identity, s *image.Symbol, c *check) { c.Out.Side, s.Size = image.SassSide, 0 }, "symbol.size f  0x20/0x0"},

		// What nothing defines.
		{nobodys, image.Symbol{Info: global | plain}, none, ""},
		{nobodys, image.Symbol{Info: global | plain, Value: 8}, none, "symbol.value x  0x0/0x8"},
		{nobodys, image.Symbol{Info: global | plain, Value: 1<<64 - 1}, none, "symbol.value x  0x0/0xffffffffffffffff"},
		{nobodys, image.Symbol{Info: global | plain, Value: 1<<64 - 1}, func(id *link.Identity, s *image.Symbol, c *check) { c.Release = 118 }, ""},
		{nobodys, image.Symbol{Info: global | plain, Value: 1<<64 - 1}, func(id *link.Identity, s *image.Symbol, c *check) { c.Release = 119 }, "symbol.value x  0x0/0xffffffffffffffff"},
		{nobodys, image.Symbol{Info: global | plain, Value: 8}, func(id *link.Identity, s *image.Symbol, c *check) { c.Release = 118 }, "symbol.value x  0x0/0x8"},
		{nobodys, image.Symbol{Info: global | plain, Value: 1<<64 - 1}, r, ""},
		{nobodys, image.Symbol{Info: global | plain, Value: 8}, func(id *link.Identity, s *image.Symbol, c *check) { r(id, s, c); c.Instance = id }, ""},
		{nobodys, image.Symbol{Info: global | plain, Value: 8}, func(id *link.Identity, s *image.Symbol, c *check) { c.Instance = id }, "symbol.value x  0x0/0x8"},
		{nobodys, image.Symbol{Info: global | plain, Value: 8}, func(id *link.Identity, s *image.Symbol, c *check) { id.Foreign = 8 }, ""},
		{nobodys, image.Symbol{Info: global | plain}, func(id *link.Identity, s *image.Symbol, c *check) { id.Foreign = 8 }, "symbol.value x  0x8/0x0"},
		{nobodys, image.Symbol{Info: global | plain}, func(id *link.Identity, s *image.Symbol, c *check) { id.Foreign = 1<<64 - 1 }, ""},
		{nobodys, image.Symbol{Info: global | plain}, func(id *link.Identity, s *image.Symbol, c *check) { id.Info = weak | typed }, ""},
		{nobodys, image.Symbol{Info: weak | typed}, func(id *link.Identity, s *image.Symbol, c *check) { id.Info, id.Early = weak|typed, true }, ""},
		{nobodys, image.Symbol{Info: weak | plain, Shndx: inData, Value: 16}, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Info, id.Common, id.At, id.Placed, id.Value = weak|typed, true, data, true, 16
		}, ""},
		{nobodys, image.Symbol{Info: weak | fn}, func(id *link.Identity, s *image.Symbol, c *check) { id.Info = weak | fn }, ""},

		// What the driver or the finalizer defines keeps its type where a file has two sides.
		{nobodys, image.Symbol{Info: global | typed}, func(id *link.Identity, s *image.Symbol, c *check) { id.Name, c.Out.Side = "__UFT", image.SassSide }, ""},
		{nobodys, image.Symbol{Info: global | typed}, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Name, c.Out.Side = ".nv.reservedSmem.x", image.SassSide
		}, ""},
		{nobodys, image.Symbol{Info: global | typed}, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Name, c.Out.Side = TensorColumns, image.SassSide
		}, ""},
		{nobodys, image.Symbol{Info: global | typed}, func(id *link.Identity, s *image.Symbol, c *check) { id.Name = "__UFT" }, "symbol.type __UFT  0x1/0xd"},
		{nobodys, image.Symbol{Info: global | typed}, func(id *link.Identity, s *image.Symbol, c *check) { c.Out.Side = image.SassSide }, "symbol.type x  0x1/0xd"},
		{variable, v, func(id *link.Identity, s *image.Symbol, c *check) { id.Name, c.Out.Side = "__UFT", image.SassSide }, ""},
		{nobodys, image.Symbol{Info: typed, Value: 40}, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Name, id.Local, id.Info, c.Relocatable, c.ConstantBytes, id.Foreign = ".nv.ptx.const0.size", true, plain, true, 40, 40
		}, ""},
		{nobodys, image.Symbol{Info: typed, Value: 44}, func(id *link.Identity, s *image.Symbol, c *check) {
			id.Name, id.Local, id.Info, c.Relocatable, c.ConstantBytes, id.Foreign = ".nv.ptx.const0.size", true, plain, true, 40, 44
		}, "symbol.value .nv.ptx.const0.size  0x28/0x2c"},
	} {
		c := linkWith([]*link.Identity{&x.id}, []image.Symbol{x.is})
		c.Release = 130
		x.edit(&x.id, &c.Out.Symbols[1], c)
		c.compareSymbol(&x.id, &c.Out.Symbols[1])
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestBothSides wants a variable of the Mercury side where the SASS side has it.
func TestBothSides(t *testing.T) {
	for i, x := range []struct {
		other uint64
		edit  func(id *link.Identity)
		want  string
	}{
		{16, func(*link.Identity) {}, ""},
		{24, func(*link.Identity) {}, "symbol.value v  0x18/0x10"},
		{24, func(id *link.Identity) { id.Local = true }, ""},
		{24, func(id *link.Identity) { id.Name = "another" }, ""},
		{24, func(id *link.Identity) { id.Name = TensorColumns }, ""},
		{24, func(id *link.Identity) { id.Info = global | fn }, ""},
		{24, func(id *link.Identity) { id.Other = cuda.STOInternal }, ""},
		{24, func(id *link.Identity) { id.Other = cuda.STOReservedShared }, ""},
	} {
		v := &link.Identity{Name: "v", Info: global | typed, Size: 8, Foreign: 16, Def: nil}
		x.edit(v)
		c := linkWith([]*link.Identity{v}, []image.Symbol{{Info: v.Info, Other: v.Other, Value: 16, Size: 8}})
		other := linkWith([]*link.Identity{{Name: "v"}}, []image.Symbol{{Value: x.other}})
		other.Names = map[string]*link.Identity{"v": other.IDs[0], TensorColumns: other.IDs[0]}
		c.Side, c.Sass, c.Release = image.MercurySide, other.Link, 130
		if v.Function() {
			v.Foreign, c.Out.Symbols[1].Value = 0, 0
		}
		c.compareSymbol(v, &c.Out.Symbols[1])
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestSharedSymbol: the value of a shared variable's symbol is its place, and with -r an alignment.
func TestSharedSymbol(t *testing.T) {
	for i, x := range []struct {
		is          image.Symbol
		told        bool
		relocatable bool
		unknown     bool // its length
		reserved    uint64
		want        string
	}{
		{image.Symbol{Shndx: inShared, Value: 16}, true, false, false, 0, ""},
		{image.Symbol{Shndx: inShared, Value: 0x410}, true, false, false, 0x400, ""},
		{image.Symbol{Shndx: inShared, Value: 16}, true, false, false, 0x400, "symbol.value s  0x410/0x10"},
		{image.Symbol{Shndx: inShared, Value: 32}, true, false, false, 0, "symbol.value s  0x10/0x20"},
		{image.Symbol{Shndx: inShared, Value: 32}, false, false, false, 0, ""},
		{image.Symbol{Shndx: inShared, Value: 32}, true, false, true, 0, ""},
		{image.Symbol{Shndx: 0, Value: 32}, true, false, false, 0, ""},
		{image.Symbol{Shndx: inData, Value: 16}, true, false, false, 0, "symbol.section s  shared memory/.nv.global.init"},
		{image.Symbol{Shndx: cuda.SHNCommon, Special: true, Value: 16}, true, false, false, 0, "symbol.section s  shared memory/0xfff2"},
		{image.Symbol{Shndx: inShared, Value: 16}, false, true, false, 0, ""},
		{image.Symbol{Shndx: inShared, Value: 32}, true, true, false, 0, ""},
		{image.Symbol{Shndx: inShared, Value: 8}, false, true, false, 0, "symbol.alignment s  a power of two, at least 0x10/0x8"},
		{image.Symbol{Shndx: inShared, Value: 48}, false, true, false, 0, "symbol.alignment s  a power of two, at least 0x10/0x30"},
		{image.Symbol{Shndx: inShared, Value: 8}, false, true, true, 0, ""},
		{image.Symbol{Shndx: 0, Value: 8}, false, true, false, 0, ""},
	} {
		id := &link.Identity{Name: "s", Info: global | typed, Other: cuda.STOShared, Size: 4, Align: 16, Def: &image.Symbol{}}
		if x.unknown {
			id.Size = 0
		}
		c := linkWith([]*link.Identity{id}, []image.Symbol{x.is})
		c.Relocatable, c.Reserved = x.relocatable, x.reserved
		c.Observed = map[link.ObservedKey]uint64{}
		if x.told {
			c.Observed[link.ObservedKey{ID: id}] = 16
		}
		c.compareSharedSymbol(id, &c.Out.Symbols[1])
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestSymbolTable looks at the table as a whole: symbol 0, those of sections, and where the global ones begin.
func TestSymbolTable(t *testing.T) {
	section := func(change func(s *image.Symbol)) image.Symbol {
		s := image.Symbol{Name: ".nv.global.init", Shndx: inData, Info: byte(cuda.STTSection)}
		change(&s)
		return s
	}
	none := func(*image.Symbol) {}
	shared := &link.Identity{Other: cuda.STOShared}
	for i, x := range []struct {
		symbols []image.Symbol
		ids     []*link.Identity
		first   uint32
		want    string
	}{
		{[]image.Symbol{section(none), {Info: global | plain}}, nil, 2, ""},
		{[]image.Symbol{section(none), {Info: global | plain}}, nil, 1, "symbol.order   0x2/0x1"},
		{[]image.Symbol{section(none), {Info: global | plain}}, nil, 3, "symbol.order   0x2/0x3"},
		{[]image.Symbol{section(none), {Info: weak | plain}, {Info: global | plain}}, nil, 3, ""},
		{[]image.Symbol{section(none), {Info: weak | plain}, {Info: global | plain}}, nil, 4, "symbol.order   0x2/0x4"},
		{[]image.Symbol{section(none), {Info: global | plain}, {Info: plain}}, nil, 2, "symbol.order   0x4/0x2"},
		{[]image.Symbol{section(none), {Info: global | plain}, {Info: typed}}, []*link.Identity{nil, nil, shared}, 2, ""},
		{[]image.Symbol{section(none), {Info: typed}, {Info: global | plain}}, []*link.Identity{nil, shared, nil}, 3, ""},
		{[]image.Symbol{section(none), {Info: global | plain}, {Info: fn}}, []*link.Identity{nil, nil, {Info: fn, Other: cuda.STOShared}}, 2, "symbol.order   0x4/0x2"},
		{[]image.Symbol{section(func(s *image.Symbol) { s.Name = ".text.f" })}, nil, 2, "symbol.type .text.f .nv.global.init /"},
		{[]image.Symbol{section(func(s *image.Symbol) { s.Info |= global })}, nil, 1, "symbol.type .nv.global.init .nv.global.init /"},
		{[]image.Symbol{section(func(s *image.Symbol) { s.Other = 1 })}, nil, 2, "symbol.type .nv.global.init .nv.global.init /"},
		{[]image.Symbol{section(func(s *image.Symbol) { s.Value = 1 })}, nil, 2, "symbol.type .nv.global.init .nv.global.init /"},
		{[]image.Symbol{section(func(s *image.Symbol) { s.Size = 1 })}, nil, 2, "symbol.type .nv.global.init .nv.global.init /"},
		{[]image.Symbol{section(func(s *image.Symbol) { s.Special = true })}, nil, 2, "symbol.section .nv.global.init  /0x1"},
	} {
		c := &check{apply.New(link.New(1<<10, verdict.Options{Strict: true}))}
		c.Out = &link.Output{Image: &image.Image{Sections: sections(), Symbols: append([]image.Symbol{{}}, x.symbols...)}, Refs: []link.Ref{{}}}
		c.Out.Sections = append(c.Out.Sections, image.Section{Kind: cuda.SHTSymtab, Info: x.first, Body: make([]byte, 24)})
		c.Out.Symtab = len(c.Out.Sections) - 1
		for j := range x.symbols {
			r := link.Ref{}
			if j < len(x.ids) {
				r.ID = x.ids[j]
			}
			c.Out.Refs = append(c.Out.Refs, r)
		}
		c.compareSectionSymbols()
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
		none := &check{apply.New(link.New(1<<10, verdict.Options{Strict: true}))}
		none.Out = &link.Output{Image: &image.Image{Sections: c.Out.Sections, Symbols: c.Out.Symbols}}
		none.compareSectionSymbols() // without a table
		if none.Verdict.Total != 0 {
			t.Errorf("%d: %s", i, told(none))
		}
	}
	for i, s := range []image.Symbol{{Info: 1}, {Other: 1}, {Shndx: 1}, {Size: 1}, {Value: 65}, {Value: 64}, {}} {
		c := linkWith(nil, nil)
		c.Verdict.Strict = true
		c.Out.Sections[inData].Body = make([]byte, 24)
		c.Out.Symtab, c.Areas = inData, []*link.Area{{Size: 8}, {Size: 64}, {Size: 16}}
		c.compareNullSymbol(&s)
		if got := c.Verdict.Total > 0; got != (i < 5) {
			t.Errorf("symbol 0 is %+v: %v", s, got)
		}
	}
}

// TestMissingSymbol: what runs all the same, without its name, is a remark.
func TestMissingSymbol(t *testing.T) {
	kernel := func(id *link.Identity) {
		id.Info, id.Other, id.Code, id.Live = global|fn, cuda.STOEntry, &link.Body{Live: true}, true
	}
	for i, x := range []struct {
		edit func(id *link.Identity)
		want string
	}{
		{kernel, "symbol.missing v  /"},
		{func(id *link.Identity) { kernel(id); id.Other = 0 }, ""},
		{func(id *link.Identity) { kernel(id); id.Other, id.Named = 0, true }, "symbol.missing v  /"},
	} {
		v := &link.Identity{Name: "v", Def: &image.Symbol{}}
		x.edit(v)
		c := linkWith(nil, nil)
		c.IDs = []*link.Identity{v}
		c.Out.Sections[inData].Body = make([]byte, 24)
		c.Out.Symtab, c.Release = inData, oracle.Release(130)
		c.Out.Sections[inData].Info = 1
		if err := c.compareSymbols(); err != nil {
			t.Fatal(err)
		}
		if got := told(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
	for i, s := range []image.Symbol{{Name: "y", Shndx: inData}, {Name: "y"}, {Name: "y", Shndx: inData, Info: byte(cuda.STTFile)}} {
		c := linkWith(nil, nil)
		c.Out.Symbols, c.Out.Refs = append(c.Out.Symbols, s), append(c.Out.Refs, link.Ref{})
		c.Out.Sections[inData].Body = make([]byte, 24)
		c.Out.Symtab, c.Out.Sections[inData].Info = inData, 2
		if err := c.compareSymbols(); err != nil {
			t.Fatal(err)
		}
		if got := told(c); (got == "symbol.stray y  /") != (i == 0) {
			t.Errorf("%d: %q", i, got)
		}
	}
}
