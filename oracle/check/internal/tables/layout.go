package tables

import (
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Where sections are in the file.

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
		if i == 0 || s.Flags&cuda.SHFMercury != 0 && shared[place{s.Offset, s.Size}] {
			continue
		}
		if s.Align > 1 && s.Offset%s.Align != 0 {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: "a multiple of " + verdict.Hex(s.Align), Got: verdict.Hex(s.Offset), Detail: "offset"})
		}
		if s.Offset > uint64(len(c.Out.Data)) {
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
			c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionBytes, Offset: end, Detail: "unused bytes before " + s.name})
		}
		end = max(end, s.end)
	}
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionOverlap, Section: spans[i].name, Offset: spans[i].start, Detail: "shares bytes with " + spans[i-1].name})
		}
	}
}
