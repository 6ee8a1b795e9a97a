package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// readCompat merges an input's .nv.compat.
func (l *merger) readCompat(m *module, s *cubin.Section) error {
	first := !l.Compat.Seen
	c := &l.Compat
	c.Seen = true
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
	return r.Err()
}
