package tables

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// TestBlankSegments: memory without bytes in the file may have the padding in front of it there, and no more.
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

// TestProgramHeaderSpan: nothing else lies in the table of program headers.
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
