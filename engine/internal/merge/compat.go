package merge

import (
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// readCompat merges an input's .nv.compat.
func (l *merger) readCompat(m *module, s *cubin.Section) error {
	if l.Release.Compat.Keeps {
		return l.joinCompat(m, s)
	}
	first := !l.Compat.Seen
	c := &l.Compat
	c.Seen = true
	dated := false
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		switch v := uint8(rec.Value); cuda.CompatAttr(rec.Attr) {
		case cuda.CompatISAClass:
			c.Class.Add(v)
		case cuda.CompatInstTcgen05MMA:
			for i := range c.Mma {
				c.Mma[i].Add(v >> (2 * i) & 3)
			}
		case cuda.CompatMercuryISAMajorMinor:
			c.Isa = max(c.Isa, rec.Value)
			dated = true
			if n := l.Dialect.NewestISA; n > 0 && rec.Value > n {
				return diag.Refuse(diag.Internal, m.file.Name, "Internal FNLZR error '%s'", m.file.Name)
			}
		case cuda.CompatInstTensormapV1:
			c.Tensor |= v
		case cuda.CompatEnableOpportunisticFinalization:
			if !first && c.Oppo != v {
				v = 1
			}
			c.Oppo = v
		}
	}
	if n := l.Dialect.OldestISA; n > 0 && !dated {
		c.Isa = max(c.Isa, n)
		c.IsaLast = c.IsaLast || first
	}
	return r.Err()
}

// joinCompat joins an input's .nv.compat as releases from 13.1 on do.
//
//	02       0 if either is 0, else the larger
//	03       the bits of both
//	05 0e    kept if all inputs have it; the larger
//	06       dropped
//	07 0c 0d the larger; 0c and 0d have a value where an input lacks them, and
//	         stand last where the first input does
//	0b       kept if all inputs have it
//
// Source: nvlink 13.1.115 to 13.5.37, objects of every release for sm_90.
func (l *merger) joinCompat(m *module, s *cubin.Section) error {
	rules := &l.Release.Compat
	list, err := l.compatRecords(m, s)
	if err != nil {
		return err
	}
	if find(list, cuda.CompatCanFastpathFinalize) < 0 && rules.Fastpath {
		list = append(list, cubin.InfoRecord{Format: cuda.FormatSized, Attr: cuda.InfoAttr(cuda.CompatCanFastpathFinalize), Value: 8, Data: make([]byte, 8)})
	}
	list = l.joinLate(list, compat0C, cuda.FormatByte, rules.Missing0C)
	list = l.joinLate(list, compat0D, cuda.FormatHalf, rules.Missing0D)
	c := &l.Compat
	if !c.Seen {
		c.Seen, c.List = true, list
		return nil
	}
	have := c.List[:0:0]
	for _, rec := range c.List {
		i := find(list, cuda.CompatAttr(rec.Attr))
		if i < 0 && asksAll(rec.Attr) {
			continue
		}
		if i >= 0 && rec.Format != cuda.FormatSized {
			rec.Value = joinedValue(rec.Attr, rec.Value, list[i].Value)
		}
		have = append(have, rec)
	}
	for _, rec := range list {
		if !asksAll(rec.Attr) && find(have, cuda.CompatAttr(rec.Attr)) < 0 {
			have = append(have, rec)
		}
	}
	c.List = have
	return nil
}

// compatRecords returns the records of an input that a link looks at.
func (l *merger) compatRecords(m *module, s *cubin.Section) (list []cubin.InfoRecord, err error) {
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		switch cuda.CompatAttr(rec.Attr) {
		case cuda.CompatEnableOpportunisticFinalization, cuda.CompatAcceleratorTarget:
			continue
		case cuda.CompatCanFastpathFinalize:
			if !l.Release.Compat.Fastpath {
				continue
			}
		}
		list = append(list, rec)
	}
	return list, r.Err()
}

// asksAll reports whether an attribute is kept only where all inputs have it.
func asksAll(attr cuda.InfoAttr) bool {
	a := cuda.CompatAttr(attr)
	return a == cuda.CompatInstTcgen05MMA || a == compat0E
}

// joinedValue is what an attribute of two inputs is in the image.
func joinedValue(attr cuda.InfoAttr, a, b uint16) uint16 {
	switch cuda.CompatAttr(attr) {
	case cuda.CompatISAClass:
		if a == 0 || b == 0 {
			return 0
		}
	case cuda.CompatInstTensormapV1:
		return a | b
	}
	return max(a, b)
}

// joinLate joins an attribute that has a value where an input lacks it. One that
// the first input lacks is kept apart, behind all others; what other inputs have
// of it goes there. It returns the records that are left.
func (l *merger) joinLate(list []cubin.InfoRecord, attr cuda.CompatAttr, format cuda.InfoFormat, missing uint16) []cubin.InfoRecord {
	if missing == 0 {
		return list
	}
	c := &l.Compat
	i, late := find(list, attr), find(c.Late, attr)
	value := missing
	if i >= 0 {
		value = list[i].Value
	}
	switch {
	case late >= 0:
		c.Late[late].Value = max(c.Late[late].Value, value)
		if i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
	case i >= 0:
	case find(c.List, attr) >= 0:
		list = append(list, cubin.InfoRecord{Format: format, Attr: cuda.InfoAttr(attr), Value: missing})
	default:
		c.Late = append(c.Late, cubin.InfoRecord{Format: format, Attr: cuda.InfoAttr(attr), Value: missing})
	}
	return list
}

// Attributes that releases from 13.3 on have, without a name that is known.
const (
	compat0C cuda.CompatAttr = 0x0c
	compat0D cuda.CompatAttr = 0x0d
	compat0E cuda.CompatAttr = 0x0e
)

func find(list []cubin.InfoRecord, attr cuda.CompatAttr) int {
	return slices.IndexFunc(list, func(r cubin.InfoRecord) bool { return cuda.CompatAttr(r.Attr) == attr })
}
