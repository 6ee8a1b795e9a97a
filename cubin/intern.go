package cubin

import (
	"bytes"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// String returns the string at an offset of string table i.
func (d *Editor) String(i int, off uint64) (string, bool) { return cString(d.Data(i), off) }

// Intern returns the offset of a string in string table i, and appends it
// where the table doesn't have it. A string is not shared with the end of a
// longer one: the tools don't.
func (d *Editor) Intern(i int, s string) (uint32, error) {
	p, err := d.part(i)
	if err != nil {
		return 0, err
	}
	table := d.Data(i)
	switch {
	case p.Type != cuda.SHTStrtab || !terminated(table):
		return 0, d.src.fault(BadTable, d.SectionName(i), 0, uint64(len(table)), "not a string table")
	case strings.IndexByte(s, 0) >= 0:
		return 0, d.src.fault(BadName, d.SectionName(i), 0, uint64(strings.IndexByte(s, 0)), "a name with a NUL in it")
	}
	pattern := make([]byte, 0, len(s)+2)
	pattern = append(append(append(pattern, 0), s...), 0)
	if bytes.HasPrefix(table, pattern[1:]) {
		return 0, nil
	}
	if at := bytes.Index(table, pattern); at >= 0 {
		return uint32(at + 1), nil
	}
	off := uint64(len(table))
	if off+uint64(len(s)) >= 1<<32 {
		return 0, d.src.fault(OverBudget, d.SectionName(i), off, uint64(len(s)), "a string table of more than 4 GB")
	}
	grown := make([]byte, 0, len(table)+len(s)+1)
	grown = append(append(grown, table...), pattern[1:]...)
	return uint32(off), d.SetData(i, grown)
}
