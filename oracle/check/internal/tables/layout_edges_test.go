package tables

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// TestBlankSegments: memory without bytes in the file may have the padding before it there, and no more.
func TestBlankSegments(t *testing.T) {
	seg := func(flags uint32, at, file, mem uint64) image.Segment {
		return image.Segment{Kind: segmentLoad, Flags: flags, Offset: at, Filesz: file, Mem: mem, Align: 8}
	}
	sections := []place{{constants, 0x400, 0x100, 4, false}, {written, 0x700, 0x7c, 4, false}, {written, 0x780, 0x40, 8, true}}
	data := seg(readOnly, 0x400, 0x100, 0x100)
	for i, x := range []struct {
		segments []image.Segment
		right    bool
	}{
		{[]image.Segment{data, seg(6, 0x700, 0x80, 0xc0)}, true},  // up to where the memory begins
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0xbc)}, true},  // up to the last byte
		{[]image.Segment{data, seg(6, 0x700, 0x7e, 0xbe)}, false}, // to neither
		{[]image.Segment{data, seg(6, 0x700, 0x84, 0xc4)}, false},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x780, 0, 0x40)}, true},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x780, 7, 0x47)}, true},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x780, 8, 0x48)}, false},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x788, 7, 0x47)}, false},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(5, 0x780, 7, 7), seg(6, 0x780, 0, 0x40)}, false},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(5, 0x780, 0, 0x40)}, false},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x780, 0, 0x3f)}, false},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x780, 0, 0x47)}, true},
		{[]image.Segment{data, seg(6, 0x700, 0x7c, 0x7c), seg(6, 0x780, 0, 0x48)}, false},
	} {
		c := fileOf(image.Whole, sections, x.segments)
		if got := c.segmentsCover(); got != x.right {
			t.Errorf("%d: %v", i, got)
		}
	}
	// Memory far away says nothing of where a segment ends.
	far := []place{{written, 0x700, 0x70, 4, false}, {written, 0x780, 0x40, 8, true}}
	if c := fileOf(image.Whole, far, []image.Segment{seg(6, 0x700, 0x80, 0xc0)}); c.segmentsCover() {
		t.Error("sixteen bytes are no padding")
	}
	// A section without bytes is loaded by nothing.
	empty := []place{{constants, 0x400, 0x100, 4, false}, {constants, 0x600, 0, 4, false}}
	if c := fileOf(image.Whole, empty, []image.Segment{data}); !c.segmentsCover() {
		t.Error("an empty section")
	}
}

// TestProgramHeaderSpan: nothing else is in the table of program headers.
func TestProgramHeaderSpan(t *testing.T) {
	for i, x := range []struct {
		at, count uint64
		want      string
	}{
		{0xf70, 2, ""}, {0xf6f, 2, "shares bytes with program headers /"}, {0xf38, 1, ""}, {0xf37, 1, "shares bytes with program headers /"}, {0xf00, 0, ""}, {0xeff, 1, ""},
	} {
		c := fileOf(image.Whole, []place{{at: x.at, size: 1, align: 1}}, nil)
		c.Out.Header.Phnum = x.count
		c.compareOffsets()
		if got := strings.ReplaceAll(said(c), "  ", " "); got != x.want {
			t.Errorf("%d: %q", i, got)
		}
	}
	c := fileOf(image.Whole, []place{{at: 0x400, size: 0x100, align: 1}, {at: 0x4ff, size: 0x10, align: 1}}, nil)
	if err := c.compareLayout(); err != nil || !strings.Contains(said(c), "shares bytes with .s1") {
		t.Error("sections on each other", said(c))
	}
	for n, want := range []int{0, 1} {
		c := fileOf(image.Whole, nil, make([]image.Segment, n))
		c.Relocatable = true
		if _ = c.compareLayout(); c.Verdict.Total != want {
			t.Errorf("%d program headers of a relocatable file: %v", n, c.Verdict.Findings)
		}
	}
}

// TestFinalizedSegments: of a file that the finalizer wrote, the Mercury side is loaded by nothing, and each run of sections of one
// permission has its own memory without bytes.
func TestFinalizedSegments(t *testing.T) {
	sections := []place{{constants, 0x400, 0x80, 4, false}, {constants | uint64(cuda.SHFMercury), 0x480, 0x80, 4, false}, {constants, 0x500, 0x100, 4, false},
		{constants, 0x600, 0x20, 16, true}, {code, 0x600, 0x80, 128, false}, {written, 0x700, 0x40, 8, false}, {written, 0x740, 0x30, 16, true}, {written, 0x740, 0x8, 64, true}}
	c := fileOf(image.SassSide, sections, make([]image.Segment, 5))
	want := []image.Segment{
		{Kind: segmentHeader, Flags: 4, Offset: 0xf00, Filesz: 280, Mem: 280, Align: 8}, {Kind: segmentLoad, Flags: 4, Offset: 0xf00, Filesz: 280, Mem: 280, Align: 8},
		{Kind: segmentLoad, Flags: 4, Offset: 0x400, Filesz: 0x200, Mem: 0x220, Align: 8}, {Kind: segmentLoad, Flags: 5, Offset: 0x600, Filesz: 0x80, Mem: 0x80, Align: 8},
		{Kind: segmentLoad, Flags: 6, Offset: 0x700, Filesz: 0x40, Mem: 0x40 + 0x48, Align: 8},
	}
	if got := c.finalizedSegments(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestNothingWritten: nvlink has a segment for what is written only where there is such a thing.
func TestNothingWritten(t *testing.T) {
	sections := []place{{constants, 0x400, 0x100, 4, false}, {code, 0x500, 0x200, 128, false}}
	table := image.Segment{Kind: segmentHeader, Flags: 5, Offset: 0xf00, Filesz: 168, Mem: 168, Align: 8}
	last := table
	last.Kind = segmentLoad
	c := fileOf(image.Whole, sections, []image.Segment{table, {Kind: segmentLoad, Flags: 5, Offset: 0x400, Filesz: 0x300, Mem: 0x300, Align: 8}, last})
	c.Verdict.Strict = true
	if c.compareSegments(); c.Verdict.Total > 0 {
		t.Errorf("%v", c.Verdict.Findings)
	}
}
