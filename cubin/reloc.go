package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// Reloc is a record of a REL or RELA section; a REL record has addend 0 and
// adds to what its place holds.
type Reloc struct {
	Off    uint64
	Type   uint32
	Symbol uint32
	Addend int64
}

// RelocTable is the records of one relocation section.
type RelocTable struct {
	table []byte
	size  int // 16 or 24
}

// Relocs returns the records of a REL or RELA section or a Mercury clone.
func (f *File) Relocs(s *Section) (RelocTable, error) {
	return f.relocs(s, f.SectionName(s), f.Content(s))
}

func (f *File) relocs(s *Section, name string, data []byte) (RelocTable, error) {
	t := RelocTable{table: data, size: recordSize(s.Type)}
	if s.EntSize != uint64(t.size) || len(t.table)%t.size != 0 {
		return t, f.fault(BadTable, name, s.Size, s.EntSize, "not a table of %d-byte records", t.size)
	}
	return t, nil
}

func recordSize(t cuda.SectionType) int {
	if t == cuda.SHTRel {
		return RelSize
	}
	return RelaSize
}

// IsRelocs reports whether sections of a type hold REL or RELA records.
func IsRelocs(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela, cuda.SHTMercRela, cuda.SHTMercResolvedRela:
		return true
	}
	return false
}

// Len returns the number of records.
func (t *RelocTable) Len() int { return len(t.table) / t.size }

// At returns record i, a zero record past the end.
func (t *RelocTable) At(i int) Reloc {
	at := i * t.size
	if i < 0 || at > len(t.table)-t.size {
		return Reloc{}
	}
	if t.size == RelSize {
		w := (*[RelSize]byte)(t.table[at:])
		return Reloc{
			Off:    binary.LittleEndian.Uint64(w[0:]),
			Type:   binary.LittleEndian.Uint32(w[8:]),
			Symbol: binary.LittleEndian.Uint32(w[12:]),
		}
	}
	w := (*[RelaSize]byte)(t.table[at:])
	return Reloc{
		Off:    binary.LittleEndian.Uint64(w[0:]),
		Type:   binary.LittleEndian.Uint32(w[8:]),
		Symbol: binary.LittleEndian.Uint32(w[12:]),
		Addend: int64(binary.LittleEndian.Uint64(w[16:])),
	}
}

// PutRel writes the record to b in REL form.
func (r *Reloc) PutRel(b *[RelSize]byte) {
	binary.LittleEndian.PutUint64(b[0:], r.Off)
	binary.LittleEndian.PutUint32(b[8:], r.Type)
	binary.LittleEndian.PutUint32(b[12:], r.Symbol)
}

// PutRela writes the record to b in RELA form.
func (r *Reloc) PutRela(b *[RelaSize]byte) {
	binary.LittleEndian.PutUint64(b[0:], r.Off)
	binary.LittleEndian.PutUint32(b[8:], r.Type)
	binary.LittleEndian.PutUint32(b[12:], r.Symbol)
	binary.LittleEndian.PutUint64(b[16:], uint64(r.Addend))
}
