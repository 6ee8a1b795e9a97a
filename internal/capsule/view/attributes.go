package view

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// attributes joins the two streams of a function: both have the same records in
// the same order, but for those that only one side has.
func attributes(m *capsule.Image, fn *capsule.Func, f *Function) error {
	f.Attributes = []Attribute{}
	merc, err := records(m, fn.MercInfo)
	if err != nil {
		return err
	}
	sass, err := records(m, fn.Info)
	if err != nil {
		return err
	}
	for k := 0; k < len(merc) || len(sass) > 0; k++ {
		switch {
		case k >= len(merc):
			f.Attributes = append(f.Attributes, attribute(&sass[0], nil, "sass"))
			sass = sass[1:]
		case len(sass) > 0 && sass[0].Attr == merc[k].Attr:
			f.Attributes = append(f.Attributes, attribute(&sass[0], &merc[k], ""))
			sass = sass[1:]
		default:
			f.Attributes = append(f.Attributes, attribute(&merc[k], nil, "mercury"))
		}
	}
	return nil
}

func records(m *capsule.Image, section int) (list []cubin.InfoRecord, err error) {
	if section == 0 {
		return nil, nil
	}
	r := m.File.Info(&m.Sections[section].Section)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		list = append(list, rec)
	}
	return list, r.Err()
}

func attribute(r, merc *cubin.InfoRecord, side string) Attribute {
	a := Attribute{Name: r.Attr.String(), Number: int(r.Attr), Value: value(r), Side: side}
	if capsule.HasOffsets(r.Attr) {
		a.SASS = offsets(r.Attr, r.Data)
		if merc != nil {
			a.Mercury = offsets(r.Attr, merc.Data)
		}
	}
	return a
}

// offsets returns the offset words of a payload, as far as it is well formed.
func offsets(attr cuda.InfoAttr, data []byte) (list []uint32) {
	_ = capsule.VisitOffsets(attr, data, func(at int) { list = append(list, binary.LittleEndian.Uint32(data[at:])) })
	return list
}
