package tables

import (
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Where sections lie in the file, and what the driver is told to load.
//
// A final image has four program headers or fewer: the header table itself,
// what is read and executed, what is written, and the header table again.
// All addresses are 0. memsz counts what has no bytes in the file by a running
// sum that starts at 0, whatever the place of the section.
//
// Source: outputs of nvlink 11.8.89, 12.4.131 and 13.0.88.

func (c *check) compareLayout() error {
	c.compareOffsets()
	if !c.Relocatable {
		c.compareSegments()
	} else if len(c.Out.Segments) > 0 {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SegmentCover, Detail: "a relocatable file has no program headers", Want: "0", Got: verdict.Hex(uint64(len(c.Out.Segments)))})
	}
	return nil
}

func (c *check) compareOffsets() {
	type span struct {
		name       string
		start, end uint64
		index      int
	}
	h := &c.Out.Header
	spans := []span{
		{"ELF header", 0, 64, -1},
		{"section headers", h.Shoff, h.Shoff + 64*uint64(len(c.Out.Sections)), -1},
	}
	if h.Phnum > 0 {
		spans = append(spans, span{"program headers", h.Phoff, h.Phoff + 56*h.Phnum, -1})
	}
	type place struct{ from, size uint64 }
	shared := map[place]bool{}
	for i := range c.Out.All {
		if s := &c.Out.All[i]; len(s.Body) > 0 && s.Flags&cuda.SHFMercury == 0 {
			shared[place{s.Offset, s.Size}] = true
		}
	}
	for i := range c.Out.All {
		s := &c.Out.All[i]
		if i == 0 || len(s.Body) > 0 && s.Flags&cuda.SHFMercury != 0 && shared[place{s.Offset, s.Size}] {
			continue
		}
		if s.Align > 1 && s.Offset%s.Align != 0 {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: "a multiple of " + verdict.Hex(s.Align), Got: verdict.Hex(s.Offset), Detail: "offset"})
		}
		if s.Body == nil && s.Offset > uint64(len(c.Out.Data)) {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: "a place in the file", Got: verdict.Hex(s.Offset), Detail: "offset"})
		}
		if len(s.Body) > 0 {
			spans = append(spans, span{s.Name, s.Offset, s.Offset + s.Size, i})
		}
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	end := uint64(0)
	for _, s := range append(spans, span{"end of file", uint64(len(c.Out.Data)), 0, -1}) {
		if gap, ok := image.Cut(c.Out.Data, end, s.start-min(end, s.start)); ok && strings.Trim(string(gap), "\x00") != "" {
			c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionBytes, Offset: end, Detail: "bytes that belong to nothing, before " + s.name})
		}
		end = max(end, s.end)
	}
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionOverlap, Section: spans[i].name, Offset: spans[i].start, Detail: "shares bytes with " + spans[i-1].name})
		}
	}
}

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

func (c *check) compareSegmentList(want []image.Segment) {
	for i := range max(len(want), len(c.Out.Segments)) {
		var w, g image.Segment
		if i < len(want) {
			w = want[i]
		}
		if i < len(c.Out.Segments) {
			g = c.Out.Segments[i]
		}
		c.compareSegment(i, w, g)
	}
}

func (c *check) compareSegment(i int, w, g image.Segment) {
	for _, field := range [...]struct {
		name      string
		want, got uint64
	}{
		{"p_type", uint64(w.Kind), uint64(g.Kind)}, {"p_flags", uint64(w.Flags), uint64(g.Flags)}, {"p_offset", w.Offset, g.Offset},
		{"p_vaddr", 0, g.Vaddr}, {"p_paddr", 0, g.Paddr}, {"p_filesz", w.Filesz, g.Filesz}, {"p_memsz", w.Mem, g.Mem}, {"p_align", w.Align, g.Align},
	} {
		if field.want != field.got {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SegmentCover, Offset: uint64(i), Want: verdict.Hex(field.want), Got: verdict.Hex(field.got), Detail: field.name})
		}
	}
}

// loaded are the sections that take memory, as they lie in the file.
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
