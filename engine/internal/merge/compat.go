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
	var list []cubin.InfoRecord
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		switch cuda.CompatAttr(rec.Attr) {
		case cuda.CompatEnableOpportunisticFinalization, cuda.CompatAcceleratorTarget:
			continue
		case cuda.CompatCanFastpathFinalize:
			if !rules.Fastpath {
				continue
			}
		}
		list = append(list, rec)
	}
	if r.Err() != nil {
		return r.Err()
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
		switch cuda.CompatAttr(rec.Attr) {
		case cuda.CompatInstTcgen05MMA, compat0E:
			if i < 0 {
				continue
			}
		}
		if i >= 0 && rec.Format != cuda.FormatSized {
			switch v := list[i].Value; cuda.CompatAttr(rec.Attr) {
			case cuda.CompatISAClass:
				if rec.Value == 0 || v == 0 {
					rec.Value = 0
				} else {
					rec.Value = max(rec.Value, v)
				}
			case cuda.CompatInstTensormapV1:
				rec.Value |= v
			default:
				rec.Value = max(rec.Value, v)
			}
		}
		have = append(have, rec)
	}
	for _, rec := range list {
		switch cuda.CompatAttr(rec.Attr) {
		case cuda.CompatInstTcgen05MMA, compat0E:
			continue
		}
		if find(have, cuda.CompatAttr(rec.Attr)) < 0 {
			have = append(have, rec)
		}
	}
	c.List = have
	return nil
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
