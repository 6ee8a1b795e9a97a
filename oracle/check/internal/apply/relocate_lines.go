package apply

import (
	"bytes"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Records of debug information that name a line table, of which each side has its own.

// mergedAddend is the addend of a kept record. One of debug information that names a
// section counts from the start of the input's, which is further back in the output's.
//
// Source: the line table that each unit of .nv.merc.debug_info names, of C++ programs
// compiled with -G, in links by nvlink 13.0 and 13.5; the same of .debug_info with -r.
func (c *Applied) mergedAddend(m *link.Module, r image.Record) int64 {
	s := &m.Symbols[r.Symbol]
	if s.Kind() != cuda.STTSection || s.Special || r.Addend < 0 {
		return r.Addend
	}
	if at, known := c.linesAt(m, s.Shndx, uint64(r.Addend)); known && r.Rela {
		return int64(at)
	}
	if p := m.Places[s.Shndx].Part; r.Kind == cuda.R_MERCURY_PROG_REL32 && p != nil && p.Placed && verdict.IsDebug(m.Sections[s.Shndx].Name) {
		return int64(p.At(uint64(r.Addend)))
	}
	return r.Addend
}

// fieldOfCounterpart reports whether the place of a record that stays on the Mercury side holds
// the number that the SASS side's has there, or anything where that is stripped. Nobody
// reads it: the record has its addend.
//
// Source: .nv.merc.debug_info of C++ programs compiled with -G, in links by nvlink 13.5.37.
func (c *Applied) fieldOfCounterpart(a *link.Area, r image.Record) bool {
	if c.Sass == nil || r.Kind != cuda.R_MERCURY_PROG_REL32 || a.Owner != nil || !verdict.IsDebug(a.Name) || a.Out == nil {
		return false
	}
	counterpart := c.Sass.ByKey[link.AreaKey{Base: a.Name, Owner: nil}]
	if counterpart == nil || counterpart.Out == nil {
		return true
	}
	is, ok := image.Cut(a.Out.Body, r.Offset, 4)
	was, okToo := image.Cut(counterpart.Out.Body, r.Offset, 4)
	return ok && okToo && bytes.Equal(is, was)
}
