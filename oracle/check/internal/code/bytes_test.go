package code

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// data adds a section .nv.global.init to a link, of a part that has 16 bytes.
func data(c *check, of *link.Area) *link.Area {
	m := of.Owner.Mod
	m.Sections = append(m.Sections, image.Section{Index: 2, Name: ".nv.global.init", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFWrite, Align: 8, Size: 16, Body: bytes.Repeat([]byte{7}, 16)})
	c.Out.Sections = append(c.Out.Sections, image.Section{Index: 2, Name: ".nv.global.init", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFWrite, Size: 16, Body: bytes.Repeat([]byte{7}, 16)})
	p := &link.Part{Mod: m, Section: &m.Sections[2], Placed: true}
	a := &link.Area{Name: ".nv.global.init", Base: ".nv.global.init", Kind: cuda.SHTCudaGlobalInit, Size: 16, Parts: []*link.Part{p}, Out: &c.Out.Sections[2],
		Want: bytes.Repeat([]byte{7}, 16), Covered: []link.Span{{From: 0, To: 16}}}
	of.Out = &c.Out.Sections[1]
	c.Areas, c.Out.Areas, c.Out.Bodies = append(c.Areas, a), append(c.Out.Areas, a), append(c.Out.Bodies, nil)
	id := &link.Identity{Name: "x", Info: byte(cuda.STTObject), Size: 8, At: a, Value: 8, Def: &image.Symbol{}}
	c.IDs = append(c.IDs, id)
	c.ObjectsIn = image.NewGroups[link.PlaceOf, *link.Identity](1, 0)
	c.ObjectsIn.Add(link.PlaceOf{Mod: m, Section: 2}, id)
	c.ObjectsIn.Done()
	return a
}

// TestBytes changes bytes and sections of one right link.
func TestBytes(t *testing.T) {
	type change = func(c *check, f, d *link.Area)
	set := func(at int, to ...byte) change { return func(_ *check, _, d *link.Area) { copy(d.Out.Body[at:], to) } }
	debug := func(c *check, d *link.Area) { d.Name = ".debug_info" }
	stray := func(s image.Section) change {
		return func(c *check, _, _ *link.Area) {
			c.Out.Sections, c.Out.Areas, c.Out.Bodies = append(c.Out.Sections, s), append(c.Out.Areas, nil), append(c.Out.Bodies, nil)
		}
	}
	field := func(at, size uint64) change {
		return func(_ *check, f, d *link.Area) {
			d.Fields = append(d.Fields, link.Field{Offset: at, Size: size, Rec: image.Record{Kind: uint32(cuda.R_CUDA_32), Symbol: 5}, Mod: f.Owner.Mod,
				As: uint32(cuda.R_CUDA_32), Before: make([]byte, 4), In: oracle.Inputs{Rela: true, S: 7}})
		}
	}
	for i, x := range []struct {
		changes []change
		want    string
	}{
		{nil, ""},
		{[]change{set(0, 8)}, "section.bytes in: .nv.global.init+0x0 want 0707070707070707 got 0807070707070707"},
		{[]change{set(8, 8, 9)}, "section.bytes in: .nv.global.init+0x8 symbol x want 0707070707070707 got 0809070707070707"},
		{[]change{set(7, 8, 9)}, "section.bytes in: .nv.global.init+0x7 want 0707070707070707 got 0809070707070707"},
		{[]change{set(15, 8)}, "section.bytes in: .nv.global.init+0xf symbol x want 07 got 08"},
		{[]change{set(0, 8), func(_ *check, _, d *link.Area) { d.Free = []link.Span{{From: 0, To: 1}} }}, ""},
		{[]change{set(0, 8, 9), func(_ *check, _, d *link.Area) { d.Free = []link.Span{{From: 0, To: 1}} }}, "section.bytes in: .nv.global.init+0x1 want 0707070707070707 got 0907070707070707"},
		{[]change{set(4, 8), field(4, 4)}, "relocation.field in: .nv.global.init+0x4 symbol v relocation R_CUDA_32 want 07070707 got 08070707"},
		{[]change{set(7, 8), field(4, 4)}, "relocation.field in: .nv.global.init+0x4 symbol v relocation R_CUDA_32 want 07070707 got 07070708"},
		{[]change{set(3, 8), field(4, 4)}, "section.bytes in: .nv.global.init+0x3 want 0707070707070707 got 0807070707070707"},
		{[]change{set(8, 8), field(4, 4)}, "section.bytes in: .nv.global.init+0x8 symbol x want 0707070707070707 got 0807070707070707"},
		{[]change{set(3, 8, 8, 8, 8, 8, 8), field(4, 4)}, "section.bytes in: .nv.global.init+0x3 want 0707070707070707 got 0808080808080707\nrelocation.field in: .nv.global.init+0x4 symbol v relocation R_CUDA_32 want 07070707 got 08080808"},
		{[]change{set(4, 8, 8, 8, 8, 8, 8, 8, 8), field(4, 4), field(8, 4)}, "relocation.field in: .nv.global.init+0x4 symbol v relocation R_CUDA_32 want 07070707 got 08080808\nrelocation.field in: .nv.global.init+0x8 symbol v relocation R_CUDA_32 want 07070707 got 08080808"},
		{[]change{set(14, 8), field(14, 4)}, "relocation.field in: .nv.global.init+0xe symbol v relocation R_CUDA_32 want 0707 got 0807"},
		{[]change{set(0, 8), func(_ *check, _, d *link.Area) { d.Want = nil }}, ""},
		{[]change{set(0, 8), func(_ *check, _, d *link.Area) { d.Optional = true }}, ""},
		{[]change{set(0, 8), func(_ *check, _, d *link.Area) { d.Size = 0 }}, "! section.size .nv.global.init+0x0 want 0x0 got 0x10 (as the inputs' order gives it)"},
		{[]change{set(0, 8), func(_ *check, f, d *link.Area) { d.Owner = &link.Body{Owner: f.Owner.Owner} }}, ""},
		{[]change{set(0, 8), func(_ *check, f, d *link.Area) { d.Owner = f.Owner }}, "section.bytes in: .nv.global.init+0x0 want 0707070707070707 got 0807070707070707"},
		{[]change{set(0, 8), func(_ *check, _, d *link.Area) { d.Name, d.Kind = ".debug_frame", cuda.SHTProgbits }}, ""},

		// Sections that are not there.
		{[]change{func(_ *check, _, d *link.Area) { d.Out = nil }}, "section.missing in: .nv.global.init+0x0"},
		{[]change{func(c *check, _, d *link.Area) { d.Out = nil; c.IDs[1].Local = true }}, "! section.missing in: .nv.global.init+0x0 not needed"},
		{[]change{func(c *check, _, d *link.Area) { d.Out = nil; c.IDs[1].Local, c.IDs[1].Named = true, true }}, "section.missing in: .nv.global.init+0x0"},
		{[]change{func(c *check, _, d *link.Area) { d.Out = nil; c.IDs[1].Local = true; d.Kind = cuda.SHTCudaConstant0 }}, "section.missing in: .nv.global.init+0x0"},
		{[]change{func(c *check, _, d *link.Area) {
			d.Out = nil
			c.IDs[1].Local = true
			d.Kind = cuda.SHTCudaSharedReserved
		}}, "section.missing in: .nv.global.init+0x0"},
		{[]change{func(c *check, _, d *link.Area) { d.Out = nil; c.IDs[1].Local = true; d.Kept = make([]link.Kept, 1) }}, "section.missing in: .nv.global.init+0x0"},
		{[]change{func(c *check, _, d *link.Area) { d.Out = nil; debug(c, d) }}, "! section.missing in: .debug_info+0x0 not needed"},
		{[]change{func(_ *check, f, _ *link.Area) { f.Out = nil }}, "function.missing in: .text.f+0x0"},
		{[]change{func(c *check, _, d *link.Area) { d.Out = nil; c.Out.Areas[2] = nil }}, "section.missing in: .nv.global.init+0x0\nsection.stray .nv.global.init+0x0"},

		// Parts whose bytes are nowhere.
		{[]change{set(4, 8), func(_ *check, _, d *link.Area) { d.Parts[0].Placed = false }}, "section.bytes in: .nv.global.init+0x4 want 0707070707070707 got 0807070707070707 nowhere\nsection.bytes in: .nv.global.init+0x4 want 0707070707070707 got 0807070707070707"},
		{[]change{set(12, 8), func(_ *check, _, d *link.Area) { d.Parts[0].Placed, d.Want = false, nil }}, "section.bytes in: .nv.global.init+0xc symbol x want 07070707 got 08070707 nowhere"},
		{[]change{set(12, 8), func(c *check, _, d *link.Area) { d.Parts[0].Placed, d.Want, c.IDs[1].Local = false, nil, true }}, "! section.bytes in: .nv.global.init+0xc symbol x want 07070707 got 08070707 nowhere"},
		{[]change{set(12, 8), func(c *check, _, d *link.Area) {
			d.Parts[0].Placed, d.Want = false, nil
			c.IDs[1].Local = true
			debug(c, d)
		}}, "section.bytes in: .debug_info+0xc symbol x want 07070707 got 08070707 nowhere"},
		{[]change{set(12, 8), func(_ *check, _, d *link.Area) { d.Parts[0].Placed, d.Want, d.Parts[0].Base = false, nil, 1 }}, "section.bytes in: .nv.global.init+0x0 nowhere"},
		{[]change{set(12, 8), func(_ *check, _, d *link.Area) {
			d.Parts[0].Placed, d.Want, d.Parts[0].Mod.Holes = false, nil, map[int][]link.Span{2: {{From: 12, To: 13}}}
		}}, "section.bytes in: .nv.global.init+0x0 nowhere"},
		{[]change{set(12, 8, 8), func(_ *check, _, d *link.Area) {
			d.Parts[0].Placed, d.Want, d.Parts[0].Mod.Holes = false, nil, map[int][]link.Span{2: {{From: 12, To: 13}}}
		}}, "section.bytes in: .nv.global.init+0xd symbol x want 070707 got 080707 nowhere"},
		{[]change{set(12, 8), func(_ *check, _, d *link.Area) {
			d.Parts[0].Placed, d.Want, d.Parts[0].Mod.Holes = false, nil, map[int][]link.Span{2: {{From: 13, To: 14}}}
		}}, "section.bytes in: .nv.global.init+0xc symbol x want 07070707 got 08070707 nowhere"},
		{[]change{func(_ *check, _, d *link.Area) { d.Parts[0].Placed, d.Want, d.Parts[0].Section.Size = false, nil, 0 }}, ""},

		// Bytes between parts.
		{[]change{func(_ *check, _, d *link.Area) { d.Covered = []link.Span{{From: 0, To: 15}} }}, "! section.bytes .nv.global.init+0xf gap"},
		{[]change{func(_ *check, _, d *link.Area) { d.Covered = []link.Span{{From: 1, To: 16}} }}, "! section.bytes .nv.global.init+0x0 gap"},
		{[]change{func(_ *check, _, d *link.Area) { d.Covered = []link.Span{{From: 0, To: 4}, {From: 5, To: 16}} }}, "! section.bytes .nv.global.init+0x4 gap"},
		{[]change{func(_ *check, _, d *link.Area) { d.Covered = []link.Span{{From: 0, To: 4}, {From: 4, To: 16}} }}, ""},
		{[]change{func(_ *check, _, d *link.Area) {
			d.Covered = []link.Span{{From: 0, To: 9}, {From: 4, To: 6}, {From: 9, To: 16}}
		}}, ""},
		{[]change{func(_ *check, _, d *link.Area) {
			d.Covered = []link.Span{{From: 0, To: 4}, {From: 5, To: 16}}
			d.Want[4], d.Out.Body[4] = 0, 0
		}}, ""},
		{[]change{func(_ *check, _, d *link.Area) { d.Covered, d.Want = nil, nil }}, ""},
		{[]change{func(_ *check, _, d *link.Area) { d.Covered, d.Want = nil, []byte{} }}, ""},
		{[]change{func(c *check, _, d *link.Area) { d.Covered, d.Base, d.Size = nil, link.ImageBank, 0 }}, "! section.size .nv.global.init+0x0 want 0x0 got 0x10 (as the inputs' order gives it)\n! section.bytes .nv.global.init+0x0 gap"},

		// Sections of nothing.
		{[]change{stray(image.Section{Name: ".x", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc, Size: 4})}, "section.stray .x+0x0"},
		{[]change{stray(image.Section{Name: ".x", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc})}, "! section.stray .x+0x0 (nothing in the link needs it)"},
		{[]change{stray(image.Section{Name: ".x", Kind: cuda.SHTProgbits, Size: 4})}, "! section.stray .x+0x0 (nothing in the link needs it)"},
		{[]change{stray(image.Section{Name: ".x", Kind: cuda.SHTNobits, Size: 4})}, "section.stray .x+0x0"},
		{[]change{stray(image.Section{Name: ".text.x", Kind: cuda.SHTProgbits, Flags: cuda.SHFExec | cuda.SHFAlloc, Size: 4})}, "function.stray .text.x+0x0"},
		{[]change{stray(image.Section{Name: ".text.x", Kind: cuda.SHTProgbits, Flags: cuda.SHFExec | cuda.SHFAlloc})}, "function.stray .text.x+0x0"},

		// Both sides, and files with one.
		{[]change{set(0, 8), func(c *check, _, d *link.Area) { c.Out.Side = image.Whole }}, "section.bytes in: .nv.global.init+0x0 want 0707070707070707 got 0807070707070707"},
		{[]change{func(c *check, f, _ *link.Area) { c.Out.Side = image.Whole; f.Out.Body[4] = 9 }}, "+0x4 want 00000000000f0000 got 09000000000f0000"},
		{[]change{func(c *check, f, _ *link.Area) { f.Out.Body[4] = 9 }}, "+0x0 want 0278040000000000000f000000000000 got 0278040009000000000f000000000000 another"},
		{[]change{func(c *check, f, _ *link.Area) { c.Out.Side, f.Out.Size = image.Whole, 16 }}, "section.size in: .text.f+0x0 want 0x20 got 0x10"},
		{[]change{func(c *check, _, d *link.Area) { c.Side, d.Kind, d.Out = image.MercurySide, cuda.SHTNobits, nil }}, ""},
		{[]change{func(c *check, _, d *link.Area) { d.Kind, d.Out = cuda.SHTNobits, nil }}, "section.missing in: .nv.global.init+0x0"},
		{[]change{func(c *check, f, _ *link.Area) { f.Words = nil }}, "section.size in: .text.f+0x0 want 0x20 got 0x20 (not a whole number of instructions)"},
		{[]change{func(c *check, f, _ *link.Area) { f.Want = f.Want[:20] }}, "section.size in: .text.f+0x0 want 0x20 got 0x20 (not a whole number of instructions)"},
		{[]change{func(c *check, f, _ *link.Area) { f.Out.Body = f.Out.Body[:20] }}, "section.size in: .text.f+0x0 want 0x20 got 0x20 (not a whole number of instructions)"},
	} {
		c, f := coded(t, "m e", "m e", nil)
		d := data(c, f)
		for _, change := range x.changes {
			change(c, f, d)
		}
		if err := Bytes(c.Applied); err != nil {
			t.Fatal(err)
		}
		if want := 2 - strings.Count(x.want, ".missing"); i < 12 && c.Verdict.Sections != want {
			t.Errorf("%d: %d sections, want %d", i, c.Verdict.Sections, want)
		}
		if got := told(c); got != x.want {
			t.Errorf("%d: change:\n%s\nwant\n%s", i, got, x.want)
		}
	}
}

// TestTables wants what tables are not to be strays.
func TestTables(t *testing.T) {
	for _, kind := range []cuda.SectionType{cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote, cuda.SHTRel, cuda.SHTRela,
		cuda.SHTCudaInfo, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaRelocInfo, cuda.SHTCudaResolvedRela} {
		if !isTable(kind) {
			t.Errorf("%v is no table", kind)
		}
	}
	if isTable(cuda.SHTNobits) || isTable(cuda.SHTProgbits) || isTable(cuda.SHTCudaGlobal) {
		t.Error("memory is a table")
	}
}

// TestTrustTables takes over where a word that moved is.
func TestTrustTables(t *testing.T) {
	for i, x := range []struct {
		base    uint64
		old, is []uint32
		change  func(f *link.Area)
		want    []uint32
	}{
		{0, []uint32{0, 16, 32}, []uint32{0, 32, 48}, nil, []uint32{0, 32, 48}}, // a word was inserted before the second
		{0, []uint32{0, 16, 32}, []uint32{16, 16, 32}, nil, []uint32{0, 16, 32}},
		{0, []uint32{0, 16, 32}, []uint32{0, 32, 48}, func(f *link.Area) { f.Words.Identity = true }, []uint32{0, 16, 32}},
		{0, []uint32{16}, []uint32{32}, func(f *link.Area) { f.Owner.Area = nil }, []uint32{16}},
		{0, []uint32{16}, []uint32{32}, func(f *link.Area) { f.Words = nil }, []uint32{16}},
		{0, []uint32{16}, []uint32{32}, func(f *link.Area) { f.Owner.Mod.Bodies = nil }, []uint32{16}},
		{4, []uint32{16, 16, 16}, []uint32{32, 32, 32}, nil, []uint32{16, 32, 32}},
		{3, []uint32{16, 16, 16}, []uint32{32, 32, 32}, nil, []uint32{16, 32, 16}},
	} {
		c, f := coded(t, "m m e", "m n m e", mapOf(4, 0, 2, 3))
		if x.change != nil {
			x.change(f)
		}
		bytesOf := func(list []uint32) (b []byte) {
			for _, n := range list {
				b = append(b, byte(n), 0, 0, 0)
			}
			return b
		}
		m := f.Owner.Mod
		s := &image.Section{Name: ".nv.constant2.f", Flags: cuda.SHFInfoLink, Info: 1, Size: uint64(4*len(x.old)) - x.base}
		if x.base == 3 {
			s.Size = 6
		}
		a := &link.Area{Owner: f.Owner, Want: bytesOf(x.old), Out: &image.Section{Body: bytesOf(x.is)}, Parts: []*link.Part{{Mod: m, Section: s, Base: x.base}}}
		c.trustTables(a)
		if !slices.Equal(a.Want, bytesOf(x.want)) {
			t.Errorf("%d: %x, want %x", i, a.Want, bytesOf(x.want))
		}
	}
}
