package check

import (
	"bytes"

	"github.com/twinlink/twinlink/cuda"
)

// Records of debug information that name a line table, of which each side has its own.

// mergedAddend is the addend of a kept record. One of debug information that names a
// section counts from the start of the input's, which is further back in the output's.
//
// Source: the line table that each unit of .nv.merc.debug_info names, of C++ programs
// compiled with -G, in links by nvlink 13.0 and 13.5; the same of .debug_info with -r.
func (c *check) mergedAddend(m *module, r record) int64 {
	s := &m.symbols[r.symbol]
	if s.kind() != cuda.STTSection || s.special || r.addend < 0 {
		return r.addend
	}
	if at, known := c.linesAt(m, s.shndx, uint64(r.addend)); known && r.rela {
		return int64(at)
	}
	if p := m.places[s.shndx].part; r.kind == cuda.R_MERCURY_PROG_REL32 && p != nil && p.placed && isDebug(m.sections[s.shndx].name) {
		return int64(p.at(uint64(r.addend)))
	}
	return r.addend
}

// fieldOfTwin reports whether the place of a record that stays on the Mercury side holds
// the number that the SASS side's has there, or anything where that is stripped. Nobody
// reads it: the record has its addend.
//
// Source: .nv.merc.debug_info of C++ programs compiled with -G, in links by nvlink 13.5.37.
func (c *check) fieldOfTwin(a *area, r record) bool {
	if c.sass == nil || r.kind != cuda.R_MERCURY_PROG_REL32 || a.owner != nil || !isDebug(a.name) || a.out == nil {
		return false
	}
	twin := c.sass.byKey[areaKey{a.name, nil}]
	if twin == nil || twin.out == nil {
		return true
	}
	is, ok := cut(a.out.body, r.offset, 4)
	was, okToo := cut(twin.out.body, r.offset, 4)
	return ok && okToo && bytes.Equal(is, was)
}
