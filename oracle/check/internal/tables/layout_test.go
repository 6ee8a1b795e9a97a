package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// place is a section or a segment: flags, where it lies and how long it is.
type place struct {
	flags    uint64
	at, size uint64
	align    uint64
	blank    bool // no bits
}

const (
	constants = uint64(cuda.SHFAlloc)
	code      = uint64(cuda.SHFAlloc | cuda.SHFExec)
	written   = uint64(cuda.SHFAlloc | cuda.SHFWrite)
)

// fileOf is a link of a file of 0x1000 bytes, with section headers at 0x40 and program headers at 0xf00.
func fileOf(side image.Side, sections []place, segments []image.Segment) *check {
	f := &image.Image{Data: make([]byte, 0x1000), Side: side, Segments: segments}
	f.Header.Shoff, f.Header.Phoff, f.Header.Phnum = 0x40, 0xf00, uint64(len(segments))
	f.All = []image.Section{{}}
	for i, p := range sections {
		s := image.Section{Index: i + 1, Name: fmt.Sprintf(".s%d", i+1), Kind: cuda.SHTProgbits, Flags: cuda.SectionFlags(p.flags), Offset: p.at, Size: p.size, Align: max(p.align, 1)}
		if p.blank {
			s.Kind = cuda.SHTNobits
		} else {
			s.Body, _ = image.Cut(f.Data, p.at, p.size)
		}
		f.All = append(f.All, s)
	}
	f.Sections = f.All
	return &check{apply.New(&link.Link{Release: 130, Out: &link.Output{Image: f}})}
}

// TestSegments changes right program headers in one place each: nvlink's own, and those of a linker that has others. What
// only nvlink does is a finding where Strict asks for it.
func TestSegments(t *testing.T) {
	sections := []place{{constants, 0x400, 0x100, 4, false}, {code, 0x500, 0x200, 128, false}, {written, 0x700, 0x80, 8, false}, {written, 0x780, 0x40, 8, true}, {0, 0x800, 0x40, 1, false}}
	seg := func(kind, flags uint32, at, file, mem uint64) image.Segment {
		return image.Segment{Kind: kind, Flags: flags, Offset: at, Filesz: file, Mem: mem, Align: 8}
	}
	table := func(kind, flags uint32, n uint64) image.Segment { return seg(kind, flags, 0xf00, 56*n, 56*n) }
	nvlinks := []image.Segment{table(segmentHeader, 5, 4), seg(1, 5, 0x400, 0x300, 0x300), seg(1, 6, 0x700, 0x80, 0xc0), table(1, 5, 4)}
	finalizers := []image.Segment{table(segmentHeader, 4, 5), table(1, 4, 5), seg(1, 4, 0x400, 0x100, 0x100), seg(1, 5, 0x500, 0x200, 0x200), seg(1, 6, 0x700, 0x80, 0xc0)}
	others := []image.Segment{seg(1, 6, 0x700, 0x80, 0x80), seg(1, 5, 0x500, 0x200, 0x200), seg(1, 6, 0x780, 0, 0x40), seg(1, 4, 0x400, 0x100, 0x100)}
	change := func(list []image.Segment, i int, by func(s *image.Segment)) []image.Segment {
		list = slices.Clone(list)
		by(&list[i])
		return list
	}
	without := func(list []image.Segment, i int) []image.Segment { return slices.Delete(slices.Clone(list), i, i+1) }
	const exact, right, wrong = "", "habit", "wrong"
	for i, x := range []struct {
		side     image.Side
		segments []image.Segment
		want     string
	}{
		{image.Whole, nvlinks, exact},
		{image.SassSide, finalizers, exact},
		{image.Whole, finalizers, right},
		{image.SassSide, nvlinks, right},
		{image.Whole, others, right},
		{image.SassSide, others, right},
		{image.Whole, nil, wrong},
		{image.Whole, without(nvlinks, 0), wrong}, // the table that is loaded has another length now
		{image.Whole, without(others, 0), wrong},
		{image.Whole, without(others, 1), wrong},
		{image.Whole, without(others, 2), wrong},
		{image.Whole, without(others, 3), wrong},
		{image.Whole, append(slices.Clone(others), others[1]), wrong},
		{image.Whole, append(slices.Clone(others), seg(1, 6, 0x800, 0x40, 0x40)), wrong},
		{image.Whole, append(slices.Clone(others), table(segmentHeader, 5, 5)), wrong}, // not in front
		{image.Whole, append([]image.Segment{table(segmentHeader, 5, 5)}, others...), right},
		{image.Whole, append([]image.Segment{table(segmentHeader, 6, 5)}, others...), wrong},
		{image.Whole, append([]image.Segment{table(2, 5, 5)}, others...), wrong},
		{image.Whole, append(slices.Clone(others), table(1, 4, 5)), right},

		{image.Whole, change(others, 0, func(s *image.Segment) { s.Flags = 7 }), wrong},
		{image.Whole, change(others, 0, func(s *image.Segment) { s.Flags = 5 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Flags = 4 }), wrong},
		{image.Whole, change(others, 3, func(s *image.Segment) { s.Flags = 5 }), right},
		{image.Whole, change(others, 3, func(s *image.Segment) { s.Flags = 6 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Kind = 4 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Offset += 8 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Offset -= 8; s.Filesz += 8; s.Mem += 8 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Filesz -= 8 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Filesz += 8; s.Mem += 8 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Mem += 8 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Mem -= 8 }), wrong},
		{image.Whole, change(others, 2, func(s *image.Segment) { s.Mem += 7 }), right}, // for an alignment
		{image.Whole, change(others, 2, func(s *image.Segment) { s.Mem += 8 }), wrong},
		{image.Whole, change(others, 2, func(s *image.Segment) { s.Mem -= 1 }), wrong},
		{image.Whole, change(others, 2, func(s *image.Segment) { s.Offset = 0x1001 }), wrong},
		{image.Whole, change(others, 2, func(s *image.Segment) { s.Offset = 0x1000 }), right},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Vaddr = 0x100 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Paddr = 0x100 }), wrong},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Align = 16 }), right},
		{image.Whole, change(others, 1, func(s *image.Segment) { s.Align = 12 }), wrong},
		{image.Whole, change(nvlinks, 2, func(s *image.Segment) { s.Filesz -= 0x80 }), wrong},
		{image.Whole, change(nvlinks, 1, func(s *image.Segment) { s.Flags = 4 }), wrong},
		{image.Whole, change(nvlinks, 0, func(s *image.Segment) { s.Flags = 4 }), right},
	} {
		for _, strict := range []bool{false, true} {
			c := fileOf(x.side, sections, x.segments)
			c.Verdict.Strict = strict
			if err := c.compareLayout(); err != nil {
				t.Fatal(err)
			}
			if wrongly := x.want == wrong || strict && x.want == right; (c.Verdict.Total > 0) != wrongly {
				t.Errorf("%d, strict %v: %v, want %q", i, strict, c.Verdict.Findings, x.want)
			}
		}
	}
	c := fileOf(image.Whole, sections, nvlinks)
	c.Relocatable = true
	if _ = c.compareLayout(); c.Verdict.Total != 1 {
		t.Errorf("relocatable: %v", c.Verdict.Findings)
	}
}

// TestOffsets lays sections where they may and may not lie in the file.
func TestOffsets(t *testing.T) {
	a, b := place{at: 0x400, size: 0x100, align: 16}, place{at: 0x500, size: 0x80, align: 4}
	for i, x := range []struct {
		sections []place
		dirt     int // a byte that is not 0
		want     string
	}{
		{[]place{a, b}, 0, ""},
		{[]place{b, a}, 0, ""},
		{[]place{a, b}, 0x450, ""},
		{[]place{a, b}, 0x3ff, "unused bytes before .s1 /"},
		{[]place{a, b}, 0x580, "unused bytes before end of file /"},
		{[]place{a, b}, 0xfff, "unused bytes before end of file /"},
		{[]place{{at: 0x408, size: 0x10, align: 16}}, 0, "offset a multiple of 0x10/0x408"},
		{[]place{a, {at: 0x4ff, size: 0x10, align: 1}}, 0, "shares bytes with .s1 /"},
		{[]place{{at: 0x30, size: 0x20, align: 1}}, 0, "shares bytes with ELF header /; shares bytes with .s1 /"},
		{[]place{{at: 0x40, size: 0x20, align: 1}}, 0, "shares bytes with section headers /"},
		{[]place{{at: 0x1001, size: 0x20, align: 1, blank: true}}, 0, "offset a place in the file/0x1001"},
		{[]place{{at: 0x1000, size: 0x20, align: 1, blank: true}}, 0, ""},
		{[]place{a, {at: 0x400, size: 0x100, align: 16}}, 0, "shares bytes with .s1 /"},
		{[]place{a, {at: 0x450, size: 0, align: 1}}, 0, ""},
		{[]place{a, {uint64(cuda.SHFMercury), 0x400, 0x100, 16, false}}, 0, ""},
		{[]place{a, {uint64(cuda.SHFMercury), 0x400, 0x80, 16, false}}, 0, "shares bytes with .s1 /"},
		{[]place{a, {uint64(cuda.SHFMercury), 0x480, 0x100, 16, false}}, 0, "shares bytes with .s1 /"},
	} {
		c := fileOf(image.Whole, x.sections, nil)
		c.Verdict.Strict = true
		if x.dirt > 0 {
			c.Out.Data[x.dirt] = 1
		}
		c.compareOffsets()
		if got := strings.ReplaceAll(said(c), "  ", " "); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}
