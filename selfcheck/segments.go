package selfcheck

import (
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// What a segment is for.
const (
	readable   = 4
	writable   = 2
	executable = 1
)

// segments checks the kinds and flags of program headers: the first is of their table, the others are loaded. A segment
// with sections that are written is writable, one with code executable; where all are executable, as in code
// by older tools, so is the table.
func (c *checker) segments() {
	h := &c.m.File.Header
	progs := c.m.File.Progs()
	for i, p := range progs {
		at := h.PhOff + uint64(i)*cubin.ProgSize
		if i == 0 {
			c.number(Text, Metadata, 0, at, "p_type", cubin.PTPhdr, uint64(p.Type))
			if p.Flags&^executable != readable {
				c.number(Text, Metadata, 0, at+4, "p_flags", readable, uint64(p.Flags))
			}
			continue
		}
		c.number(Text, Metadata, 0, at, "p_type", cubin.PTLoad, uint64(p.Type))
		if p.MemSz == 0 {
			continue // of a link with no variable left
		}
		c.number(Text, Metadata, 0, at+4, "p_flags", uint64(c.segmentFlags(progs, p)), uint64(p.Flags))
	}
}

// segmentFlags returns what the flags of a segment are, by its sections. Memory that is in no file and begins where a
// segment's bytes end is that segment's, unless one of such memory alone begins there: behind constants, whose segment
// may have room for all shared memory, too (cuBLAS 13.8).
func (c *checker) segmentFlags(progs []cubin.Prog, p cubin.Prog) uint32 {
	flags := progs[0].Flags
	own := func(off uint64) bool {
		return slices.ContainsFunc(progs[1:], func(q cubin.Prog) bool { return q.Off == off && q.FileSz == 0 && q.MemSz > 0 })
	}
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if s.Flags&cuda.SHFAlloc == 0 || s.Size == 0 {
			continue
		}
		inside := s.Off >= p.Off && s.Off-p.Off < p.FileSz
		if s.NoBits() {
			inside = s.Off >= p.Off && s.Off-p.Off <= p.FileSz && p.MemSz > p.FileSz && (p.FileSz == 0 || !own(s.Off))
		}
		switch {
		case inside && s.Flags&cuda.SHFWrite != 0:
			return readable | writable
		case inside && s.Flags&cuda.SHFExec != 0:
			flags = readable | executable
		}
	}
	return flags
}
