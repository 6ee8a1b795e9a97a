package relocs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Input is one file of a link.
type Input struct {
	Name string
	Data []byte
}

// Args returns nvlink's arguments, but for the output and the inputs.
func (v *Vector) Args() []string {
	return append([]string{"-arch=" + v.Template.Arch}, v.Options...)
}

// Inputs builds the files of the link in their order. The object with the
// vector's records is the last.
func (v *Vector) Inputs() ([]Input, error) {
	object, err := v.object()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	var list []Input
	for _, m := range v.Template.before {
		list = append(list, Input{m.name + ".cubin", m.data})
	}
	return append(list, Input{v.Template.object.name + ".cubin", object}), nil
}

// object changes the template's object in this order: edits, old content,
// records. README.md describes the steps for other languages.
func (v *Vector) object() ([]byte, error) {
	f, err := read(v.Template.object.data)
	if err != nil {
		return nil, err
	}
	for _, e := range v.Edits {
		if err := f.edit(e); err != nil {
			return nil, err
		}
	}
	place, index := f.find(v.Place)
	if place == nil {
		return nil, fmt.Errorf("no section %s", v.Place)
	}
	if len(v.Records) == 0 {
		return nil, fmt.Errorf("no records")
	}
	if at := v.Records[0].Offset; at < uint64(len(place.data)) {
		copy(place.data[at:], v.Before)
	}
	holder, err := v.holder(f, index)
	if err != nil {
		return nil, err
	}
	data, err := v.encode(f, int(holder.link))
	if err != nil {
		return nil, err
	}
	if v.Keep {
		data = append(data, v.others(holder)...)
	} else {
		f.clear(isMercury(holder.kind))
	}
	f.put(holder, data)
	return f.write(), nil
}

// clear takes away all records of the Mercury group or of the other one.
func (f *cubinEditor) clear(mercury bool) {
	for _, p := range f.parts {
		if isRecords(p.kind) && isMercury(p.kind) == mercury {
			f.put(p, nil)
		}
	}
}

func isRecords(kind uint32) bool {
	t := cuda.SectionType(kind)
	return t == cuda.SHTRel || t == cuda.SHTRela || t == cuda.SHTMercRela
}

func isMercury(kind uint32) bool { return cuda.SectionType(kind) == cuda.SHTMercRela }

// mercuryPlace tells the sections whose records are R_MERCURY.
func mercuryPlace(place string) bool {
	return strings.HasPrefix(place, mercuryPrefix) || strings.HasPrefix(place, capsulePrefix)
}

const (
	mercuryPrefix = ".nv.merc"
	capsulePrefix = ".nv.capmerc"
)

// recordsName returns the name of the section with a place's records.
func recordsName(place string, form Form) string {
	for _, prefix := range []string{capsulePrefix, mercuryPrefix} {
		if rest, ok := strings.CutPrefix(place, prefix); ok {
			return mercuryPrefix + "." + string(form) + rest
		}
	}
	return "." + string(form) + place
}

// holder finds or makes the section for the vector's records. One that is made
// is a copy of another section of records in flags and symbol table.
func (v *Vector) holder(f *cubinEditor, target int) (*part, error) {
	kind, entry := cuda.SHTRel, uint64(relSize)
	if v.Form == RELA {
		kind, entry = cuda.SHTRela, relaSize
	}
	if mercuryPlace(v.Place) {
		if v.Form != RELA {
			return nil, fmt.Errorf("the Mercury group has no REL")
		}
		kind = cuda.SHTMercRela
	}
	var like *part
	for _, p := range f.parts {
		switch {
		case p.kind == uint32(kind) && int(p.info) == target:
			return p, nil
		case like == nil && isRecords(p.kind) && isMercury(p.kind) == isMercury(uint32(kind)):
			like = p
		}
	}
	if like == nil {
		return nil, fmt.Errorf("template without records")
	}
	p := &part{
		name: f.title(recordsName(v.Place, v.Form)), kind: uint32(kind), flags: like.flags,
		link: like.link, info: uint32(target), align: like.align, entry: entry, moved: true,
	}
	f.parts = append(f.parts, p)
	return p, nil
}

func (v *Vector) encode(f *cubinEditor, table int) ([]byte, error) {
	var b []byte
	for _, r := range v.Records {
		n, err := f.symbol(table, r.Symbol)
		if err != nil {
			return nil, err
		}
		b = le.AppendUint64(b, r.Offset)
		b = le.AppendUint32(le.AppendUint32(b, r.Type), n)
		if v.Form == RELA {
			b = le.AppendUint64(b, uint64(r.Addend))
		}
	}
	return b, nil
}

// others returns the records that the template has there, but for those at an
// offset that a record of the vector has.
func (v *Vector) others(holder *part) []byte {
	var rest []byte
	for b := holder.data; holder.entry >= relSize && uint64(len(b)) >= holder.entry; b = b[holder.entry:] {
		at := le.Uint64(b)
		if !slices.ContainsFunc(v.Records, func(r Record) bool { return r.Offset == at }) {
			rest = append(rest, b[:holder.entry]...)
		}
	}
	return rest
}

// edit changes a number. A symbol is changed in both symbol tables of a Mercury
// object, which have equal indices.
func (f *cubinEditor) edit(e Edit) error {
	if e.Symbol == "" {
		return f.editSection(e)
	}
	found := false
	for i, p := range f.parts {
		if k := cuda.SectionType(p.kind); k != cuda.SHTSymtab && k != cuda.SHTMercSymtab {
			continue
		}
		n, err := f.symbol(i, e.Symbol)
		if err != nil || (uint64(n)+1)*symbolSize > uint64(len(p.data)) {
			continue
		}
		found = true
		s := p.data[n*symbolSize:]
		switch e.Set {
		case "info":
			s[4] = byte(e.To)
		case "other":
			s[5] = byte(e.To)
		case "section":
			le.PutUint16(s[6:], uint16(e.To))
		case "value":
			le.PutUint64(s[8:], uint64(e.To))
		case "size":
			le.PutUint64(s[16:], uint64(e.To))
		default:
			return fmt.Errorf("edit of a symbol's %q", e.Set)
		}
	}
	if !found {
		return fmt.Errorf("no symbol %s to edit", e.Symbol)
	}
	return nil
}

func (f *cubinEditor) editSection(e Edit) error {
	p, _ := f.find(e.Section)
	if p == nil {
		return fmt.Errorf("no section %s to edit", e.Section)
	}
	switch e.Set {
	case "bank":
		p.kind = uint32(cuda.SHTCudaConstant0) + uint32(e.To)
		p.name = f.title(fmt.Sprintf(".nv.constant%d", uint64(e.To)))
	case "type":
		p.kind = uint32(e.To)
	case "flags":
		p.flags = uint64(e.To)
	case "align":
		p.align = uint64(e.To)
	case "info":
		p.info = uint32(e.To)
	default:
		return fmt.Errorf("edit of a section's %q", e.Set)
	}
	return nil
}
