package cubin

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// The contents of an Editor's sections as records. What is read is a copy, but
// for the payloads in it; what is written replaces the section's bytes, and
// after a change of size Layout must follow. Reading and writing back a section
// of the tools gives its bytes again.

// Relocs returns the records of a REL or RELA section, Mercury's included.
func (d *Editor) Relocs(i int) ([]Reloc, error) {
	p, err := d.part(i)
	if err != nil {
		return nil, err
	}
	if !IsRelocs(p.Type) {
		return nil, d.src.fault(BadTable, d.SectionName(i), 0, uint64(p.Type), "sections of type %s hold no relocations", p.Type)
	}
	t, err := d.src.relocs(&p.Section, d.SectionName(i), d.Data(i))
	if err != nil {
		return nil, err
	}
	list := make([]Reloc, t.Len())
	for k := range list {
		list[k] = t.At(k)
	}
	return list, nil
}

// SetRelocs replaces the records; a REL section can't hold addends.
func (d *Editor) SetRelocs(i int, list []Reloc) error {
	p, err := d.part(i)
	if err != nil {
		return err
	}
	if !IsRelocs(p.Type) {
		return d.src.fault(BadTable, d.SectionName(i), 0, uint64(p.Type), "sections of type %s hold no relocations", p.Type)
	}
	size := recordSize(p.Type)
	data := make([]byte, len(list)*size)
	for k := range list {
		b := data[k*size:]
		switch {
		case size == RelaSize:
			list[k].PutRela((*[RelaSize]byte)(b))
		case list[k].Addend != 0:
			return d.src.fault(BadRelocation, d.SectionName(i), uint64(k*size), uint64(list[k].Addend), "a REL record can't hold an addend")
		default:
			list[k].PutRel((*[RelSize]byte)(b))
		}
	}
	p.EntSize = uint64(size)
	return d.SetData(i, data)
}

// IsInfo reports whether sections of a type hold .nv.info records.
func IsInfo(t cuda.SectionType) bool {
	return t == cuda.SHTCudaInfo || t == cuda.SHTMercInfo || t == cuda.SHTCudaCompat
}

// Info returns the records of .nv.info, .nv.info.<f> or .nv.compat.
func (d *Editor) Info(i int) ([]InfoRecord, error) {
	p, err := d.part(i)
	if err != nil {
		return nil, err
	}
	if !IsInfo(p.Type) {
		return nil, d.src.fault(BadTable, d.SectionName(i), 0, uint64(p.Type), "sections of type %s hold no .nv.info records", p.Type)
	}
	r := InfoReader{file: d.src, section: d.SectionName(i), data: d.Data(i)}
	var list []InfoRecord
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		list = append(list, rec)
	}
	return list, r.Err()
}

// SetInfo replaces the records.
func (d *Editor) SetInfo(i int, list []InfoRecord) error {
	var data []byte
	for k := range list {
		rec := &list[k]
		switch {
		case rec.Format < cuda.FormatNone || rec.Format > cuda.FormatSized:
			return d.src.fault(BadRecord, d.SectionName(i), uint64(len(data)), uint64(rec.Format), "record %d: unknown record format", k)
		case len(rec.Data) > 0xffff || rec.Format != cuda.FormatSized && len(rec.Data) > 0:
			return d.src.fault(BadRecord, d.SectionName(i), uint64(len(data)), uint64(len(rec.Data)), "record %d: a payload of that many bytes doesn't fit its format", k)
		}
		data = rec.Append(data)
	}
	return d.SetData(i, data)
}

// Notes returns the notes of a section.
func (d *Editor) Notes(i int) ([]Note, error) {
	if _, err := d.part(i); err != nil {
		return nil, err
	}
	return d.src.notes(d.SectionName(i), d.Data(i))
}

// SetNotes replaces the notes.
func (d *Editor) SetNotes(i int, list []Note) error {
	var data []byte
	for k := range list {
		n := &list[k]
		data = AppendNote(data, n.Type, n.Name, n.Desc)
	}
	return d.SetData(i, data)
}

// Pairs returns the entries of .nv.callgraph or .nv.prototype.
func (d *Editor) Pairs(i int) ([]Pair, error) {
	if _, err := d.part(i); err != nil {
		return nil, err
	}
	data := d.Data(i)
	n, err := d.src.pairs(d.SectionName(i), data)
	if err != nil {
		return nil, err
	}
	list := make([]Pair, n)
	for k := range list {
		list[k] = pairAt(data, k)
	}
	return list, nil
}

// SetPairs replaces the entries.
func (d *Editor) SetPairs(i int, list []Pair) error {
	data := make([]byte, 0, len(list)*pairSize)
	for _, p := range list {
		data = p.Append(data)
	}
	return d.SetData(i, data)
}

// Words returns the symbols that a record names, as places in its payload.
func (r *InfoRecord) symbolWords() []int {
	switch {
	case r.Format != cuda.FormatSized || len(r.Data) < 4:
		return nil
	case r.Attr == cuda.AttrExterns:
		return everyFourth(len(r.Data))
	case slices.Contains(namesSymbol, r.Attr):
		return []int{0}
	}
	return nil
}

func everyFourth(n int) []int {
	list := make([]int, 0, n/4)
	for at := 0; at+4 <= n; at += 4 {
		list = append(list, at)
	}
	return list
}

// word returns the payload's word at a byte offset.
func word(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
