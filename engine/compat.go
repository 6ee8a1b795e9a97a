package engine

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// compat is the merged .nv.compat. Inputs without the section don't count.
type compat struct {
	seen   bool
	class  meet // ISA_CLASS
	mma    [4]meet
	isa    uint16
	tensor uint8
	oppo   uint8
}

// meet is a value where 0 absorbs and else the largest wins.
type meet struct {
	set bool
	v   uint8
}

func (m *meet) add(v uint8) {
	switch {
	case !m.set:
		m.set, m.v = true, v
	case m.v == 0 || v == 0:
		m.v = 0
	default:
		m.v = max(m.v, v)
	}
}

// readCompat merges an input's .nv.compat.
func (l *linker) readCompat(m *module, s *cubin.Section) error {
	first := !l.compat.seen
	c := &l.compat
	c.seen = true
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		switch v := uint8(rec.Value); cuda.CompatAttr(rec.Attr) {
		case cuda.CompatISAClass:
			c.class.add(v)
		case cuda.CompatInstTcgen05MMA:
			for i := range c.mma {
				c.mma[i].add(v >> (2 * i) & 3)
			}
		case cuda.CompatMercuryISAMajorMinor:
			c.isa = max(c.isa, rec.Value)
			if n := l.dialect.newestISA; n > 0 && rec.Value > n {
				return refuse(Internal, m.file.Name, "Internal FNLZR error '%s'", m.file.Name)
			}
		case cuda.CompatInstTensormapV1:
			c.tensor |= v
		case cuda.CompatEnableOpportunisticFinalization:
			if !first && c.oppo != v {
				v = 1
			}
			c.oppo = v
		}
	}
	return r.Err()
}

// bytes is the section's content for a target.
func (c *compat) bytes(t target) []byte {
	var b []byte
	put := func(format cuda.InfoFormat, attr cuda.CompatAttr, v uint16) {
		r := cubin.InfoRecord{Format: format, Attr: cuda.InfoAttr(attr), Value: v}
		b = r.Append(b)
	}
	accelerated := uint16(0)
	if t.accelerated {
		accelerated = 1
	}
	put(cuda.FormatByte, cuda.CompatAcceleratorTarget, accelerated)
	if !c.seen {
		return b
	}
	put(cuda.FormatByte, cuda.CompatISAClass, uint16(c.class.v))
	mma := uint16(0)
	for i := range c.mma {
		mma |= uint16(c.mma[i].v) << (2 * i)
	}
	put(cuda.FormatByte, cuda.CompatInstTcgen05MMA, mma)
	put(cuda.FormatHalf, cuda.CompatMercuryISAMajorMinor, c.isa)
	put(cuda.FormatByte, cuda.CompatInstTensormapV1, uint16(c.tensor))
	put(cuda.FormatByte, cuda.CompatEnableOpportunisticFinalization, uint16(c.oppo))
	return b
}
