package merge

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// readCompat joins an input's .nv.compat to those before it. The records of the
// first input are in their order, then what it lacks and others have.
//
//	02    0 if either is 0, else the larger
//	03    the bits of both
//	05    0 if either is 0, else each of the two lowest pairs of bits as 02, the others the first's
//	06    1 unless both have the same
//	0b    the first that is found, after all others where the first input lacks it
//	0e 0f kept if all inputs have it, the larger
//	07 08 0c 0d: the larger
//
// What a release doesn't know is dropped, and each attribute has one format whatever an input has.
//
// An attribute in the release's list of missing ones has the value there where an
// input lacks it.
//
// Source: nvlink 13.0.88 to 13.5.37, objects of every release for sm_90, and with
// records of .nv.compat omitted.
func (l *merger) readCompat(m *module, s *cubin.Section) error {
	list, err := l.compatRecords(m, s)
	if err != nil {
		return err
	}
	list, late := l.addMissing(m, list)
	c := &l.Compat
	if !c.Seen {
		c.Seen, c.List, c.Late = true, list, late
		return nil
	}
	list = append(list, late...)
	c.List, c.Late = joinCompat(c.List, list), joinCompat(c.Late, list)
	for _, rec := range list {
		switch attr := cuda.CompatAttr(rec.Attr); {
		case find(c.List, attr) >= 0 || find(c.Late, attr) >= 0 || ofAllInputs(attr):
		case attr == cuda.CompatCanFastpathFinalize:
			c.Late = append(c.Late, rec)
		default:
			c.List = append(c.List, rec)
		}
	}
	return nil
}

// comesBehindCompat reports whether the SASS side of section i follows .nv.compat in its file.
func (l *merger) comesBehindCompat(m *module, i int) bool {
	return m.compat != 0 && l.Sides != nil && int(l.Sides[m.num].Counterpart[i]) > m.compat
}

// placeCompat makes the image's .nv.compat where it comes with the first input that has one.
func (l *merger) placeCompat() {
	if l.Release.FirstNotes && l.Compat.Seen && l.Compatsec == model.Absent {
		l.makeCompat()
	}
}

// makeCompat makes the image's .nv.compat.
func (l *merger) makeCompat() {
	l.Compatsec = l.Role(".nv.compat", cuda.SHTCudaCompat, 0, 4)
	l.WillMake(l.Compatsec)
}

// joinCompat joins the records of an input to those that are there.
func joinCompat(have, list []cubin.InfoRecord) []cubin.InfoRecord {
	joined := have[:0:0]
	for _, rec := range have {
		attr := cuda.CompatAttr(rec.Attr)
		i := find(list, attr)
		if i < 0 && ofAllInputs(attr) {
			continue
		}
		if i >= 0 && rec.Format != cuda.FormatSized {
			rec.Value = joinedValue(attr, rec.Value, list[i].Value)
		}
		joined = append(joined, rec)
	}
	return joined
}

// addMissing adds what an input lacks. Attributes that releases from 13.3 on have
// follow those that later inputs add.
func (l *merger) addMissing(m *module, list []cubin.InfoRecord) (_, late []cubin.InfoRecord) {
	for _, r := range l.Release.Compat.Missing {
		if find(list, r.Attr) >= 0 {
			continue
		}
		if r.Attr == cuda.CompatISAClass {
			l.warn(diag.Diagnostic{Kind: diag.WrongArch, File: m.file.Name, Section: ".nv.compat",
				Text: fmt.Sprintf("Output is limited to run on SM Arch '%d' only, due to missing attribute 'ISA_CLASS' in input file '%s'", l.Arch.SM, m.file.Name)})
		}
		rec := cubin.InfoRecord{Format: r.Format, Attr: cuda.InfoAttr(r.Attr), Value: r.Value}
		if r.Attr >= compat0C {
			late = append(late, rec)
		} else {
			list = append(list, rec)
		}
	}
	return list, late
}

// compatRecords returns the records of an input that a link looks at.
func (l *merger) compatRecords(m *module, s *cubin.Section) (list []cubin.InfoRecord, err error) {
	rules := &l.Release.Compat
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		format, known := l.Release.CompatFormat(cuda.CompatAttr(rec.Attr))
		if !known {
			continue
		}
		if format != rec.Format && format != cuda.FormatSized { // as another release writes it, or no tool
			if rec.Format == cuda.FormatSized {
				rec.Value = uint16(len(rec.Data))
			}
			rec.Format, rec.Data = format, nil
		}
		switch cuda.CompatAttr(rec.Attr) {
		case cuda.CompatAcceleratorTarget:
			continue
		case cuda.CompatMercuryISAMajorMinor:
			if n := l.Dialect.NewestISA; n > 0 && !rules.Keeps && rec.Value > n {
				return nil, diag.Refuse(diag.Internal, m.file.Name, "Internal FNLZR error '%s'", m.file.Name)
			}
		case cuda.CompatCanFastpathFinalize:
			if !rules.Fastpath {
				continue
			}
		}
		if rec.Format == cuda.FormatByte {
			rec.Value &= 0xff
		}
		if i := find(list, cuda.CompatAttr(rec.Attr)); i < 0 {
			list = append(list, rec)
		} else if rec.Format != cuda.FormatSized {
			list[i].Value = joinedValue(cuda.CompatAttr(rec.Attr), list[i].Value, rec.Value)
		}
	}
	return list, r.Err()
}

// joinedValue is what an attribute of two inputs is in the image.
func joinedValue(attr cuda.CompatAttr, a, b uint16) uint16 {
	switch attr {
	case cuda.CompatISAClass:
		return meet(a, b)
	case cuda.CompatInstTcgen05MMA:
		if b == 0 {
			return 0
		}
		return a&^0xf | meet(a&3, b&3) | meet(a>>2&3, b>>2&3)<<2
	case cuda.CompatInstTensormapV1:
		return a | b
	case cuda.CompatEnableOpportunisticFinalization:
		if a != b {
			return 1
		}
	}
	return max(a, b)
}

// meet is 0 if either is, else the larger.
func meet(a, b uint16) uint16 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// Attributes that releases from 13.3 on have, without a name that is known.
const (
	compat0C cuda.CompatAttr = 0x0c
	compat0E cuda.CompatAttr = 0x0e
	compat0F cuda.CompatAttr = 0x0f
)

// ofAllInputs reports whether an attribute stays only where all inputs have it.
func ofAllInputs(attr cuda.CompatAttr) bool { return attr == compat0E || attr == compat0F }

func find(list []cubin.InfoRecord, attr cuda.CompatAttr) int {
	return slices.IndexFunc(list, func(r cubin.InfoRecord) bool { return cuda.CompatAttr(r.Attr) == attr })
}
