package check

import (
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
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
	if !c.relocatable {
		c.compareSegments()
	} else if len(c.out.segments) > 0 {
		c.verdict.add(Finding{Kind: SegmentCover, Detail: "a relocatable file has no program headers", Want: "0", Got: hex(uint64(len(c.out.segments)))})
	}
	return nil
}

func (c *check) compareOffsets() {
	type span struct {
		name       string
		start, end uint64
		index      int
	}
	h := &c.out.header
	spans := []span{
		{"ELF header", 0, 64, -1},
		{"section headers", h.shoff, h.shoff + 64*uint64(len(c.out.sections)), -1},
	}
	if h.phnum > 0 {
		spans = append(spans, span{"program headers", h.phoff, h.phoff + 56*h.phnum, -1})
	}
	type place struct{ from, size uint64 }
	shared := map[place]bool{}
	for i := range c.out.all {
		if s := &c.out.all[i]; len(s.body) > 0 && s.flags&cuda.SHFMercury == 0 {
			shared[place{s.offset, s.size}] = true
		}
	}
	for i := range c.out.all {
		s := &c.out.all[i]
		if i == 0 || len(s.body) > 0 && s.flags&cuda.SHFMercury != 0 && shared[place{s.offset, s.size}] {
			continue
		}
		if s.align > 1 && s.offset%s.align != 0 {
			c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: "a multiple of " + hex(s.align), Got: hex(s.offset), Detail: "offset"})
		}
		if s.body == nil && s.offset > uint64(len(c.out.data)) {
			c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: "a place in the file", Got: hex(s.offset), Detail: "offset"})
		}
		if len(s.body) > 0 {
			spans = append(spans, span{s.name, s.offset, s.offset + s.size, i})
		}
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	end := uint64(0)
	for _, s := range append(spans, span{"end of file", uint64(len(c.out.data)), 0, -1}) {
		if gap, ok := cut(c.out.data, end, s.start-min(end, s.start)); ok && strings.Trim(string(gap), "\x00") != "" {
			c.verdict.habit(Finding{Kind: SectionBytes, Offset: end, Detail: "bytes that belong to nothing, before " + s.name})
		}
		end = max(end, s.end)
	}
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			c.verdict.add(Finding{Kind: SectionOverlap, Section: spans[i].name, Offset: spans[i].start, Detail: "shares bytes with " + spans[i-1].name})
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
	h := &c.out.header
	if c.out.side != whole {
		c.compareSegmentList(c.finalizedSegments())
		return
	}
	var want []segment
	for _, flags := range [...]uint32{readExecute, readWrite} {
		if s, any := c.load(flags); any {
			want = append(want, s)
		}
	}
	table := segment{offset: h.phoff, filesz: 56 * uint64(len(want)+2), mem: 56 * uint64(len(want)+2), align: 8, flags: readExecute}
	first, last := table, table
	first.kind, last.kind = segmentHeader, segmentLoad
	c.compareSegmentList(append([]segment{first}, append(want, last)...))
}

// finalizedSegments are those of an image that the finalizer wrote: the header
// table, twice, and a segment for each run of sections with one permission.
func (c *check) finalizedSegments() []segment {
	h := &c.out.header
	var runs []segment
	last, blank := uint32(0), uint64(0)
	for _, s := range loaded(c.out.all) {
		if s.flags&cuda.SHFMercury != 0 {
			continue
		}
		flags := uint32(readOnly)
		if s.flags&cuda.SHFWrite != 0 {
			flags = readWrite
		} else if s.flags&cuda.SHFExec != 0 {
			flags = readExecute
		}
		if flags != last {
			blank = 0
			runs = append(runs, segment{kind: segmentLoad, flags: flags, offset: s.offset, align: 8})
		}
		last = flags
		run := &runs[len(runs)-1]
		run.filesz = s.offset - run.offset
		if noBits(s.kind) {
			blank = roundUp(blank, s.align) + s.size
		} else {
			run.filesz += s.size
		}
		run.mem = run.filesz + blank
	}
	size := 56 * uint64(len(runs)+2)
	table := segment{kind: segmentHeader, flags: readOnly, offset: h.phoff, filesz: size, mem: size, align: 8}
	load := table
	load.kind = segmentLoad
	return append([]segment{table, load}, runs...)
}

func (c *check) compareSegmentList(want []segment) {
	for i := range max(len(want), len(c.out.segments)) {
		var w, g segment
		if i < len(want) {
			w = want[i]
		}
		if i < len(c.out.segments) {
			g = c.out.segments[i]
		}
		c.compareSegment(i, w, g)
	}
}

func (c *check) compareSegment(i int, w, g segment) {
	for _, field := range [...]struct {
		name      string
		want, got uint64
	}{
		{"p_type", uint64(w.kind), uint64(g.kind)}, {"p_flags", uint64(w.flags), uint64(g.flags)}, {"p_offset", w.offset, g.offset},
		{"p_vaddr", 0, g.vaddr}, {"p_paddr", 0, g.paddr}, {"p_filesz", w.filesz, g.filesz}, {"p_memsz", w.mem, g.mem}, {"p_align", w.align, g.align},
	} {
		if field.want != field.got {
			c.verdict.add(Finding{Kind: SegmentCover, Offset: uint64(i), Want: hex(field.want), Got: hex(field.got), Detail: field.name})
		}
	}
}

// loaded are the sections that take memory, as they lie in the file.
func loaded(sections []section) []*section {
	var list []*section
	for i := range sections {
		if sections[i].flags&cuda.SHFAlloc != 0 {
			list = append(list, &sections[i])
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].offset < list[j].offset })
	return list
}

// load is the segment over the sections of one permission.
func (c *check) load(flags uint32) (segment, bool) {
	s := segment{kind: segmentLoad, flags: flags, align: 8}
	any := false
	end, blank := uint64(0), uint64(0)
	for _, x := range loaded(c.out.sections) {
		if (x.flags&cuda.SHFWrite != 0) != (flags == readWrite) {
			continue
		}
		if !any {
			any, s.offset = true, x.offset
		}
		end = x.offset
		if noBits(x.kind) {
			blank = roundUp(blank, x.align) + x.size
		} else {
			end += x.size
		}
	}
	s.filesz = end - s.offset
	s.mem = s.filesz + blank
	return s, any
}
