package tables

import (
	"math/bits"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// segmentsCover reports whether the program headers, whatever their order and number, load each section that takes memory
// once, with the permissions that it needs, and nothing else but the table of program headers.
func (c *check) segmentsCover() bool {
	var full, blank []*image.Section
	for _, s := range loaded(c.Out.All) {
		switch {
		case c.Out.Side != image.Whole && s.Flags&cuda.SHFMercury != 0:
		case image.NoBits(s.Kind):
			blank = append(blank, s)
		case s.Size > 0:
			full = append(full, s)
		}
	}
	least, padding := uint64(0), uint64(0)
	for _, s := range blank {
		least, padding = least+s.Size, padding+max(s.Align, 1)-1
	}
	covered, room := 0, uint64(0)
	for i, g := range c.Out.Segments {
		switch {
		case g.Vaddr != 0 || g.Paddr != 0 || bits.OnesCount64(g.Align) > 1 || g.Mem < g.Filesz || g.Offset > uint64(len(c.Out.Data)):
			return false
		case c.isHeaderTable(g):
			if g.Kind == segmentHeader && i > 0 || g.Kind != segmentHeader && g.Kind != segmentLoad || g.Flags != readOnly && g.Flags != readExecute {
				return false
			}
			continue
		case g.Kind != segmentLoad || g.Mem > g.Filesz && g.Flags != readWrite:
			return false
		}
		n, ok := segmentCovers(g, full, blank, padding)
		if !ok {
			return false
		}
		covered, room = covered+n, room+g.Mem-g.Filesz
	}
	return covered == len(full) && room >= least && room-least <= padding
}

func (c *check) isHeaderTable(g image.Segment) bool {
	h := &c.Out.Header
	return g.Offset == h.Phoff && g.Filesz == 56*h.Phnum && g.Mem == g.Filesz
}

// segmentCovers is how many sections a program header loads; not ok: it loads one in part, anything else, or with other
// permissions than they need.
func segmentCovers(g image.Segment, full, blank []*image.Section, padding uint64) (covered int, ok bool) {
	first, end, written, executed := uint64(0), uint64(0), 0, 0
	for _, s := range full {
		if s.Offset < g.Offset || s.Offset-g.Offset > g.Filesz || s.Size > g.Filesz-(s.Offset-g.Offset) {
			continue
		}
		if covered == 0 {
			first = s.Offset
		}
		covered++
		end = s.Offset + s.Size
		if s.Flags&cuda.SHFWrite != 0 {
			written++
		}
		if s.Flags&cuda.SHFExec != 0 {
			executed++
		}
	}
	if covered == 0 { // memory without bytes, and what aligns it
		return 0, g.Filesz == 0 || g.Flags == readWrite && g.Filesz <= padding && slices.ContainsFunc(blank, func(s *image.Section) bool { return s.Offset == g.Offset })
	}
	edge := g.Offset + g.Filesz
	ends := edge == end || slices.ContainsFunc(blank, func(s *image.Section) bool { return s.Offset == edge && edge > end && edge-end <= padding })
	permitted := written == covered && g.Flags == readWrite || written == 0 && (g.Flags == readExecute || g.Flags == readOnly && executed == 0)
	return covered, permitted && first == g.Offset && ends
}
