package tables

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// program is a link of a kernel k that calls f, with so many barriers in the flags of their code.
func program(t *testing.T, release oracle.Release, k, f uint64, name string) (c *check, kernel, function *link.Body) {
	t.Helper()
	c = &check{apply.New(link.New(1<<10, verdict.Options{}))}
	c.Release, c.SM, c.Out = release, 90, &link.Output{Image: &image.Image{}}
	bodyOf := func(name string, barriers uint64, other byte) *link.Body {
		id := &link.Identity{Name: name, Info: byte(cuda.STTFunc), Other: other, Live: true, Def: &image.Symbol{}, Out: 3}
		flags := cuda.SHFAlloc | cuda.SHFExec | cuda.SectionFlags(barriers)<<cuda.SHFBarrierShift
		b := &link.Body{Owner: id, Names: []*link.Identity{id}, Mod: &link.Module{Image: &image.Image{}}, Live: true, Section: &image.Section{Index: len(c.IDs) + 1, Flags: flags, Info: 9 << 24}}
		b.Area = &link.Area{Name: ".text." + name, Owner: b, Kind: cuda.SHTProgbits, Flags: flags, Align: 128, Out: &image.Section{Flags: flags &^ cuda.SHFBarrierMask}}
		id.Code, id.Mod = b, b.Mod
		c.IDs = append(c.IDs, id)
		return b
	}
	kernel, function = bodyOf("k", k, cuda.STOEntry), bodyOf(name, f, 0)
	kernel.Owner.Calls.Add(function.Owner)
	bodyOf("u", 7, 0)
	if err := c.Alive(); err != nil {
		t.Fatal(err)
	}
	if err := c.FindNeeds(); err != nil {
		t.Fatal(err)
	}
	return c, kernel, function
}

// TestCodeFlags: up to 12.x flags of code have the number of barriers, of a kernel the most of all that it reaches.
func TestCodeFlags(t *testing.T) {
	none := func(*check, *link.Area) {}
	written := func(barriers uint64) func(*check, *link.Area) {
		return func(_ *check, a *link.Area) { a.Out.Flags |= cuda.SectionFlags(barriers) << cuda.SHFBarrierShift }
	}
	for i, x := range []struct {
		release oracle.Release
		k, f    uint64
		name    string // of the function
		of      string // "k" or "f"
		change  func(c *check, a *link.Area)
		want    uint64
	}{
		{124, 1, 2, "f", "k", none, 2},
		{124, 3, 2, "f", "k", none, 3},
		{124, 1, 2, "f", "f", none, 2},
		{124, 3, 2, "f", "f", none, 2},
		{130, 1, 2, "f", "k", none, 0},
		{130, 1, 2, "f", "k", written(1), 1}, // as the older object has it
		{130, 1, 2, "f", "k", written(2), 0},
		{130, 1, 2, "f", "k", func(_ *check, a *link.Area) { a.Out = nil }, 0},
		{130, 1, 2, "f", "f", written(2), 0},
		{130, 1, 2, "f", "f", func(c *check, a *link.Area) { written(2)(c, a); c.Relocatable = true }, 2},
		{130, 1, 2, "f", "f", func(c *check, a *link.Area) { written(1)(c, a); c.Relocatable = true }, 0},

		// A kernel that stays though nobody asked for it counts for itself.
		{124, 1, 2, "f", "k", func(c *check, a *link.Area) { written(1)(c, a); a.Owner.Owner.Asked = false }, 1},
		{124, 1, 2, "f", "k", func(c *check, a *link.Area) { written(2)(c, a); a.Owner.Owner.Asked = false }, 2},
		{124, 1, 2, "f", "k", written(1), 2},
		{124, 1, 2, "f", "k", func(c *check, a *link.Area) { a.Out = nil; a.Owner.Owner.Asked = false }, 2},
		{124, 3, 2, "f", "f", func(c *check, a *link.Area) { written(2)(c, a); a.Owner.Owner.Asked = false }, 2},

		// A function under a name of the driver's may be taken for a kernel.
		{124, 1, 2, "free", "f", func(c *check, a *link.Area) { reaches(t, c, a); written(7)(c, a) }, 7},
		{124, 1, 2, "free", "f", func(c *check, a *link.Area) { reaches(t, c, a); written(2)(c, a) }, 2},
		{124, 1, 2, "free", "f", func(c *check, a *link.Area) { reaches(t, c, a); a.Out = nil }, 2},
		{124, 1, 2, "f", "f", func(c *check, a *link.Area) { reaches(t, c, a); written(7)(c, a) }, 2},
	} {
		c, k, f := program(t, x.release, x.k, x.f, x.name)
		a := k.Area
		if x.of == "f" {
			a = f.Area
		}
		x.change(c, a)
		flags := c.codeFlags(a)
		if got := uint64(flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift); got != x.want || flags&^cuda.SHFBarrierMask != cuda.SHFAlloc|cuda.SHFExec {
			t.Errorf("%d: %d barriers, want %d; %x", i, got, x.want, uint64(flags))
		}
	}
}

// reaches has the function of an area call one with seven barriers.
func reaches(t *testing.T, c *check, a *link.Area) {
	t.Helper()
	a.Owner.Owner.Calls.Add(c.IDs[2])
	c.Kernels = nil
	if err := c.Alive(); err != nil {
		t.Fatal(err)
	}
	if err := c.FindNeeds(); err != nil {
		t.Fatal(err)
	}
}

// TestAreaHeaders: what a section that carries an input's bytes has in its header.
func TestAreaHeaders(t *testing.T) {
	text := func(w wantHeader) string {
		s := fmt.Sprintf("%s %x link %x info %x align %d entry %d", w.kind, uint64(w.flags), w.link, w.info, w.align, w.entry)
		if w.mayLink {
			s += " may"
		}
		if w.least {
			s += " least"
		}
		return s
	}
	for i, x := range []struct {
		release oracle.Release
		side    image.Side
		kind    cuda.SectionType
		owned   bool
		change  func(a *link.Area)
		want    string
	}{
		{130, image.Whole, cuda.SHTCudaGlobal, false, nil, "NOBITS 2 link 0 info 0 align 16 entry 0"},
		{130, image.Whole, cuda.SHTCudaShared, true, nil, "NOBITS 42 link 0 info 4 align 16 entry 0"},
		{124, image.Whole, cuda.SHTCudaShared, true, nil, "NOBITS 42 link 0 info 4 align 16 entry 0"},
		{118, image.Whole, cuda.SHTCudaShared, true, nil, "NOBITS 2 link 0 info 4 align 16 entry 0"},
		{130, image.Whole, cuda.SHTCudaConstant0 + 2, true, nil, "PROGBITS 2 link 0 info 4 align 16 entry 0 may"},
		{130, image.Whole, cuda.SHTCudaConstant0 + 3, false, nil, "PROGBITS 2 link 0 info 0 align 16 entry 0"},
		{130, image.Whole, cuda.SHTCudaConstant0, true, func(a *link.Area) { a.Owner.Area.Out = nil }, "PROGBITS 2 link 0 info 0 align 16 entry 0 may"},
		{130, image.Whole, cuda.SHTCudaUFTEntry, false, nil, "CUDA_UFT_ENTRY 2 link 7 info 0 align 16 entry 32"},
		{130, image.Whole, cuda.SHTCudaUDTEntry, false, nil, "CUDA_UDT_ENTRY 2 link 7 info 0 align 16 entry 32"},
		{130, image.Whole, cuda.SHTCudaUDT, false, nil, "CUDA_UDT 2 link 0 info 0 align 16 entry 0"},
	} {
		c, _, f := program(t, x.release, 0, 0, "f")
		c.Side = x.side
		f.Area.Out.Index = 4
		a := &link.Area{Name: ".x", Kind: x.kind, Flags: cuda.SHFAlloc, Align: 16}
		if x.owned {
			a.Owner = f
		}
		if x.change != nil {
			x.change(a)
		}
		if got := text(c.areaHeader(a, 7)); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}

	// Code: the symbol, registers and barriers of its function.
	for i, x := range []struct {
		change func(c *check, k, f *link.Body)
		kernel bool
		want   string
	}{
		{func(*check, *link.Body, *link.Body) {}, true, "PROGBITS 300006 link 7 info 9000003 align 128 entry 0"},
		{func(*check, *link.Body, *link.Body) {}, false, "PROGBITS 200006 link 7 info 9000003 align 128 entry 0"},
		{func(_ *check, k, _ *link.Body) { k.Owner.Several = true }, true, "PROGBITS 300006 link 7 info 9000003 align 128 entry 0 least"},
		{func(_ *check, _, f *link.Body) { f.Owner.Several = true }, false, "PROGBITS 200006 link 7 info 9000003 align 128 entry 0"},
		{func(_ *check, k, _ *link.Body) { k.Area.Kind = cuda.SHTCudaUFT }, true, "CUDA_UFT 300006 link 7 info 9000003 align 128 entry 128"},
		{func(c *check, k, _ *link.Body) { k.Area.Kind, c.Side = cuda.SHTCudaUFT, image.MercurySide }, true, "CUDA_UFT 300006 link 7 info 9000003 align 128 entry 0"},
		{func(c *check, k, _ *link.Body) {
			k.Area.Kind, c.Side, k.Area.Out.Entry = cuda.SHTCudaUFT, image.MercurySide, 5
		}, true, "CUDA_UFT 300006 link 7 info 9000003 align 128 entry 128"},
		{func(c *check, k, _ *link.Body) {
			k.Area.Kind, c.Side, k.Area.Out = cuda.SHTCudaUFT, image.MercurySide, nil
		}, true, "CUDA_UFT 300006 link 7 info 9000003 align 128 entry 128"},
	} {
		c, k, f := program(t, 124, 3, 2, "f")
		x.change(c, k, f)
		if err := c.FindNeeds(); err != nil {
			t.Fatal(err)
		}
		a := f.Area
		if x.kernel {
			a = k.Area
		}
		if got := text(c.areaHeader(a, 7)); got != x.want {
			t.Errorf("code %d: %s, want %s", i, got, x.want)
		}
	}
}

// TestSidesOfHeaders: what is on one side alone is not asked of the other; records that the linker makes for image slots never say
// that sh_info is a section.
func TestSidesOfHeaders(t *testing.T) {
	changed := func(i int) *check { // a header that is wrong in each field
		c := tabled(130)
		c.Side = image.MercurySide
		s := &c.Out.Sections[i]
		s.Addr = 8
		c.Out.All = append([]image.Section(nil), c.Out.Sections...)
		return c
	}
	for i, x := range []struct {
		section int
		change  func(c *check)
		told    bool
	}{
		{0, func(*check) {}, false},
		{strtab, func(*check) {}, true},
		{graph, func(*check) {}, false},
		{protos, func(*check) {}, false},
		{variables, func(*check) {}, false},
		{variables, func(c *check) { c.Out.All[variables].Flags |= cuda.SHFMercury }, true},
		{variables, func(c *check) { c.Out.Sections[variables].Kind = cuda.SHTCudaSharedReserved }, true},
		{rela, func(*check) {}, true},
		{graph, func(c *check) { c.Side = image.SassSide }, true},
		{variables, func(c *check) { c.Side = image.SassSide }, true},
	} {
		c := changed(x.section)
		x.change(c)
		if err := c.compareHeaders(); err != nil {
			t.Fatal(err)
		}
		told := false
		for _, f := range c.Verdict.Findings {
			told = told || f.Detail == "address"
		}
		if told != x.told {
			t.Errorf("%d: %v", i, c.Verdict.Findings)
		}
	}

	const owned = cuda.SHFInfoLink
	for i, x := range []struct {
		release oracle.Release
		kind    cuda.SectionType
		base    string
		flags   cuda.SectionFlags
		want    cuda.SectionFlags
	}{
		{130, cuda.SHTRela, ".text.", 0, owned}, {118, cuda.SHTRela, ".text.", 0, 0}, {123, cuda.SHTRela, ".text.", owned, 0}, {124, cuda.SHTRela, ".text.", owned, owned},
		{130, cuda.SHTRela, ".nv.constant0.", 0, 0}, {130, cuda.SHTRela, ".nv.constant0.", owned, owned}, {130, cuda.SHTRel, ".nv.constant0.", owned, 0}, {130, cuda.SHTRel, ".nv.constant2.", owned, owned},
		{130, cuda.SHTRela, "", 0, owned},
	} {
		c := tabled(x.release)
		c.Out.Areas[text] = nil
		if x.base != "" {
			c.Out.Areas[text] = &link.Area{Base: x.base}
		}
		if got := c.relFlags(&image.Section{Kind: x.kind, Flags: x.flags, Info: text}); got != x.want {
			t.Errorf("%d: %x", i, uint64(got))
		}
	}
}
