package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// InfoRecord is a record of .nv.info, .nv.info.<f> or .nv.compat; cuda's
// eiattr.go draws the wire format.
type InfoRecord struct {
	Format cuda.InfoFormat
	Attr   cuda.InfoAttr
	Value  uint16 // bytes 2 and 3 of formats 1 to 3, as they stand
	Data   []byte // payload of format 4, a view of the section
}

// Word returns the i-th u32 of the payload.
func (r *InfoRecord) Word(i int) (uint32, bool) {
	b, ok := record(r.Data, i, 4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

// Len returns the record's length on the wire: a multiple of four.
func (r *InfoRecord) Len() int {
	if r.Format != cuda.FormatSized {
		return 4
	}
	return 4 + (len(r.Data)+3)&^3
}

// Append appends the record to b in wire format, padded with zeros.
func (r *InfoRecord) Append(b []byte) []byte {
	if r.Format != cuda.FormatSized {
		return append(b, byte(r.Format), byte(r.Attr), byte(r.Value), byte(r.Value>>8))
	}
	n := len(r.Data)
	b = append(b, byte(r.Format), byte(r.Attr), byte(n), byte(n>>8))
	b = append(b, r.Data...)
	for ; n&3 != 0; n++ {
		b = append(b, 0)
	}
	return b
}

// InfoReader walks the records of a section.
type InfoReader struct {
	file    *File
	section string
	data    []byte
	pos     uint64
	err     error
}

// Info returns a reader of the section's records. The section must be one of
// .nv.info, .nv.info.<f>, .nv.compat or a Mercury clone of these.
func (f *File) Info(s *Section) InfoReader {
	return InfoReader{file: f, section: f.SectionName(s), data: f.Content(s)}
}

// Next returns the next record, or false at the end or at a malformed one;
// Err says which.
func (r *InfoReader) Next() (InfoRecord, bool) {
	if r.err != nil || r.pos >= uint64(len(r.data)) {
		return InfoRecord{}, false
	}
	rest := r.data[r.pos:]
	if len(rest) < 4 {
		return r.fail(uint64(len(rest)), "fewer than four bytes left")
	}
	head := binary.LittleEndian.Uint32(rest)
	rec := InfoRecord{Format: cuda.InfoFormat(head), Attr: cuda.InfoAttr(head >> 8), Value: uint16(head >> 16)}
	switch rec.Format {
	case cuda.FormatNone, cuda.FormatByte, cuda.FormatHalf:
		r.pos += 4
	case cuda.FormatSized:
		n := int(rec.Value)
		if n > len(rest)-4 {
			return r.fail(uint64(n), "a payload of that many bytes goes past the section")
		}
		rec.Data = rest[4 : 4+n : 4+n]
		r.pos += 4 + (uint64(n)+3)&^3
	default:
		return r.fail(uint64(rec.Format), "unknown record format")
	}
	return rec, true
}

func (r *InfoReader) fail(value uint64, detail string) (InfoRecord, bool) {
	r.err = r.file.fault(BadRecord, r.section, r.pos, value, "%s", detail)
	return InfoRecord{}, false
}

// Err returns the fault that ended the walk, nil at the section's end.
func (r *InfoReader) Err() error { return r.err }

// Pair is one eight-byte entry of .nv.callgraph or .nv.prototype.
type Pair struct{ X, Y uint32 }

const pairSize = 8

// Pairs returns the number of entries of such a section.
func (f *File) Pairs(s *Section) (int, error) { return f.pairs(f.SectionName(s), f.Content(s)) }

func (f *File) pairs(section string, data []byte) (int, error) {
	if len(data)%pairSize != 0 {
		return 0, f.fault(BadRecord, section, uint64(len(data)), uint64(len(data)), "not a table of eight-byte pairs")
	}
	return len(data) / pairSize, nil
}

// Pair returns entry i of such a section.
func (f *File) Pair(s *Section, i int) Pair { return pairAt(f.Content(s), i) }

func pairAt(data []byte, i int) Pair {
	b, ok := record(data, i, pairSize)
	if !ok {
		return Pair{}
	}
	return Pair{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}

// Append appends the entry to b.
func (p Pair) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, p.X)
	return binary.LittleEndian.AppendUint32(b, p.Y)
}
