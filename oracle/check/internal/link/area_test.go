package link_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// partOf is a section of 64 bytes aligned to 16, whose bytes from 40 to 43 are zero and all others not, at 0x100 of the
// output's section; two objects in it lost, at 32 and at 8.
func partOf() *link.Part {
	s := &image.Section{Index: 3, Size: 64, Align: 16, Body: slices.Repeat([]byte{7}, 64)}
	clear(s.Body[40:44])
	m := &link.Module{Image: &image.Image{Name: "a.cubin"}, Losers: map[int][]*image.Symbol{3: {{Value: 32, Size: 8}, {Value: 8, Size: 4}}}}
	return &link.Part{Mod: m, Section: s, Base: 0x100}
}

// TestPieces: bytes of objects that moved are where they went, all others where the part lies, but for those of objects that
// lost and zeros that only align the next one.
func TestPieces(t *testing.T) {
	moves := []link.Move{{From: 0, Size: 8, To: 0x200}, {From: 44, Size: 20, To: 0x300}}
	for i, x := range []struct {
		change func(p *link.Part)
		want   string
		gone   []uint64 // the first byte that is gone, and the first behind it that is not, and so on
	}{
		{func(*link.Part) {}, "[{0 64 256}]", nil},
		{func(p *link.Part) { p.Gone = true }, "[{0 8 256} {12 20 268} {40 24 296}]", []uint64{8, 12, 32, 40}},
		{func(p *link.Part) { p.Moves = moves }, "[{0 8 512} {8 36 264} {44 20 768}]", nil},
		{func(p *link.Part) { p.Moves, p.Gone = moves, true }, "[{0 8 512} {12 20 268} {44 20 768}]", []uint64{8, 12, 32, 40}},
		{func(p *link.Part) { p.Moves, p.Bare = moves, true }, "[{0 8 512} {44 20 768}]", []uint64{8, 44}},
		{func(p *link.Part) {
			p.Moves, p.Section.Align = []link.Move{{From: 0, Size: 40, To: 0x200}, {From: 44, Size: 20, To: 0x300}}, 4
		}, "[{0 40 512} {40 4 296} {44 20 768}]", nil},
		{func(p *link.Part) {
			p.Moves = []link.Move{{From: 0, Size: 40, To: 0x200}, {From: 44, Size: 20, To: 0x300}}
		}, "[{0 40 512} {44 20 768}]", nil},
	} {
		p := partOf()
		x.change(p)
		if got := fmt.Sprint(p.Pieces()); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
		var gone []uint64
		for at, was := uint64(0), false; at < p.Section.Size; at++ {
			if is := p.Without(at); is != was {
				gone, was = append(gone, at), is
			}
		}
		if !slices.Equal(gone, x.gone) {
			t.Errorf("%d: gone from and to %d, want %d", i, gone, x.gone)
		}
		a := &link.Area{Parts: []*link.Part{p}}
		if taken := a.TakenSpans(); len(taken) > 0 {
			t.Errorf("%d: %v is taken by a part that has no place", i, taken)
		}
		p.Placed = true
		for k, s := range a.TakenSpans() {
			if piece := p.Pieces()[k]; s.From != piece.To || s.To != piece.To+piece.Size {
				t.Errorf("%d: %v is taken by %v", i, s, piece)
			}
		}
	}
}

// TestPlacesOfArea asks about single bytes of an area: the first, the last, and those beside them.
func TestPlacesOfArea(t *testing.T) {
	p := partOf()
	a := &link.Area{Parts: []*link.Part{p}, Covered: []link.Span{{From: 4, To: 8}, {From: 8, To: 8}, {From: 16, To: 20}}, Free: []link.Span{{From: 4, To: 8}}}
	for at, want := range map[uint64][2]bool{3: {}, 4: {true, true}, 7: {true, true}, 8: {}, 15: {}, 16: {true, false}, 19: {true, false}, 20: {}} {
		if got := [2]bool{a.Explains(at), a.IsFree(at)}; got != want {
			t.Errorf("%d: explained and free: %v", at, got)
		}
	}
	for at, want := range map[uint64]string{0xff: "", 0x100: "a.cubin", 0x13f: "a.cubin", 0x140: ""} {
		if got := a.PartOf(at); got != want {
			t.Errorf("0x%x is of %q", at, got)
		}
	}
	if a.Parts0() != "a.cubin" || (&link.Area{}).Parts0() != "" {
		t.Error("the first part's name")
	}
}

// TestMergeOrder: the sections of objects come in the order of the symbols, then the others; tables, and what has no bytes
// of its own, in no order.
func TestMergeOrder(t *testing.T) {
	kinds := []cuda.SectionType{0, cuda.SHTProgbits, cuda.SHTCudaGlobalInit, cuda.SHTCudaConstant0 + 3, cuda.SHTCudaShared, cuda.SHTCudaInfo, cuda.SHTNote, cuda.SHTRela, cuda.SHTCudaGlobal}
	m := &link.Module{Image: &image.Image{Symbols: []image.Symbol{{}, {Info: byte(cuda.STTSection), Shndx: 8}, {Info: byte(cuda.STTFunc), Shndx: 1}, {Info: byte(cuda.STTObject), Shndx: 3},
		{Info: byte(cuda.STTObject), Shndx: 4}, {Info: byte(cuda.STTObject), Shndx: 3}, {Info: byte(cuda.STTObject), Shndx: 2, Special: true}}}}
	for i, k := range kinds {
		m.Sections = append(m.Sections, image.Section{Index: i, Kind: k})
	}
	if got := m.MergeOrder(); !slices.Equal(got, []int{3, 1, 2, 8}) {
		t.Error(got)
	}
}

// TestAreas: sections of one name are apart where they belong to different code.
func TestAreas(t *testing.T) {
	c := &link.Link{ByKey: map[link.AreaKey]*link.Area{}}
	f, g := &link.Body{}, &link.Body{Live: true}
	a, b := c.Area(".nv.constant2.", ".nv.constant2.f", f), c.Area(".nv.constant2.", ".nv.constant2.f", g)
	if a == b || c.Area(".nv.constant2.", "", f) != a || len(c.Areas) != 2 || a.Owner != f || a.Name != ".nv.constant2.f" {
		t.Error("areas", a, b)
	}
	for i, x := range []struct {
		area    link.Area
		present bool
	}{{link.Area{}, false}, {link.Area{Size: 1}, true}, {link.Area{Size: 1, Moved: true}, false}, {link.Area{Size: 1, Owner: f}, false}, {link.Area{Size: 1, Owner: g}, true}} {
		if x.area.Present() != x.present {
			t.Error(i, "present:", !x.present)
		}
	}
	if g.Area = b; !b.Code() || a.Code() || (&link.Area{}).Code() {
		t.Error("which area is code")
	}
}
