package tables

import (
	"sort"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What the driver is told to load.
//
// A final image by nvlink has four program headers or fewer: the header table itself,
// what is read and executed, what is written, and the header table again.
// All addresses are 0. memsz counts what has no bytes in the file by a running
// sum that starts at 0, whatever the place of the section.
//
// Source: outputs of nvlink 11.8.89, 12.4.131 and 13.0.88.

const (
	segmentLoad   = 1
	segmentHeader = 6
	readOnly      = 4
	readExecute   = 5
	readWrite     = 6
)

func (c *check) compareSegments() {
	h := &c.Out.Header
	if c.Out.Side != image.Whole {
		c.compareSegmentList(c.finalizedSegments())
		return
	}
	var want []image.Segment
	for _, flags := range [...]uint32{readExecute, readWrite} {
		if s, any := c.load(flags); any {
			want = append(want, s)
		}
	}
	table := image.Segment{Offset: h.Phoff, Filesz: 56 * uint64(len(want)+2), Mem: 56 * uint64(len(want)+2), Align: 8, Flags: readExecute}
	first, last := table, table
	first.Kind, last.Kind = segmentHeader, segmentLoad
	c.compareSegmentList(append([]image.Segment{first}, append(want, last)...))
}

// finalizedSegments are those of an image that the finalizer wrote: the header
// table, twice, and a segment for each run of sections with one permission.
func (c *check) finalizedSegments() []image.Segment {
	h := &c.Out.Header
	var runs []image.Segment
	last, blank := uint32(0), uint64(0)
	for _, s := range loaded(c.Out.All) {
		if s.Flags&cuda.SHFMercury != 0 {
			continue
		}
		flags := uint32(readOnly)
		if s.Flags&cuda.SHFWrite != 0 {
			flags = readWrite
		} else if s.Flags&cuda.SHFExec != 0 {
			flags = readExecute
		}
		if flags != last {
			blank = 0
			runs = append(runs, image.Segment{Kind: segmentLoad, Flags: flags, Offset: s.Offset, Align: 8})
		}
		last = flags
		run := &runs[len(runs)-1]
		run.Filesz = s.Offset - run.Offset
		if image.NoBits(s.Kind) {
			blank = image.RoundUp(blank, s.Align) + s.Size
		} else {
			run.Filesz += s.Size
		}
		run.Mem = run.Filesz + blank
	}
	size := 56 * uint64(len(runs)+2)
	table := image.Segment{Kind: segmentHeader, Flags: readOnly, Offset: h.Phoff, Filesz: size, Mem: size, Align: 8}
	load := table
	load.Kind = segmentLoad
	return append([]image.Segment{table, load}, runs...)
}

// compareSegmentList holds the program headers against nvlink's. Others are right as well where they cover the same.
func (c *check) compareSegmentList(want []image.Segment) {
	var other []verdict.Finding
	for i := range max(len(want), len(c.Out.Segments)) {
		var w, g image.Segment
		if i < len(want) {
			w = want[i]
		}
		if i < len(c.Out.Segments) {
			g = c.Out.Segments[i]
		}
		other = append(other, otherSegment(i, w, g)...)
	}
	right := c.segmentsCover()
	for _, f := range other {
		if right {
			c.Verdict.Habit(f)
		} else {
			c.Verdict.Add(f)
		}
	}
}

// otherSegment tells in what a program header is not the one that nvlink writes.
func otherSegment(i int, w, g image.Segment) (list []verdict.Finding) {
	for _, field := range [...]struct {
		name      string
		want, got uint64
	}{
		{"p_type", uint64(w.Kind), uint64(g.Kind)}, {"p_flags", uint64(w.Flags), uint64(g.Flags)}, {"p_offset", w.Offset, g.Offset},
		{"p_vaddr", 0, g.Vaddr}, {"p_paddr", 0, g.Paddr}, {"p_filesz", w.Filesz, g.Filesz}, {"p_memsz", w.Mem, g.Mem}, {"p_align", w.Align, g.Align},
	} {
		if field.want != field.got {
			list = append(list, verdict.Finding{Kind: verdict.SegmentCover, Offset: uint64(i), Want: verdict.Hex(field.want), Got: verdict.Hex(field.got), Detail: field.name})
		}
	}
	return list
}

// loaded are the sections that take memory, as they are in the file.
func loaded(sections []image.Section) []*image.Section {
	var list []*image.Section
	for i := range sections {
		if sections[i].Flags&cuda.SHFAlloc != 0 {
			list = append(list, &sections[i])
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Offset < list[j].Offset })
	return list
}

// load is the segment over the sections of one permission.
func (c *check) load(flags uint32) (image.Segment, bool) {
	s := image.Segment{Kind: segmentLoad, Flags: flags, Align: 8}
	any := false
	end, blank := uint64(0), uint64(0)
	for _, x := range loaded(c.Out.Sections) {
		if (x.Flags&cuda.SHFWrite != 0) != (flags == readWrite) {
			continue
		}
		if !any {
			any, s.Offset = true, x.Offset
		}
		end = x.Offset
		if image.NoBits(x.Kind) {
			blank = image.RoundUp(blank, x.Align) + x.Size
		} else {
			end += x.Size
		}
	}
	s.Filesz = end - s.Offset
	s.Mem = s.Filesz + blank
	return s, any
}
