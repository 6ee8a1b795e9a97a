package model

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// Compat is the merged .nv.compat. Inputs without the section don't count.
type Compat struct {
	Seen  bool
	Class meet // ISA_CLASS
	Mma   [4]meet
	Isa   uint16
	// IsaLast: the first input lacks the record of Isa, which then stands last.
	IsaLast bool
	Tensor  uint8
	Oppo    uint8
	List    []cubin.InfoRecord // from 13.1 on: all but the accelerator's, in their order
	Late    []cubin.InfoRecord // those that stand behind them
}

// meet is a value where 0 absorbs and else the largest wins.
type meet struct {
	set bool
	V   uint8
}

func (m *meet) Add(v uint8) {
	switch {
	case !m.set:
		m.set, m.V = true, v
	case m.V == 0 || v == 0:
		m.V = 0
	default:
		m.V = max(m.V, v)
	}
}

// Bytes is the section's content for a target.
func (c *Compat) Bytes(t release.Target) []byte {
	var b []byte
	put := func(format cuda.InfoFormat, attr cuda.CompatAttr, v uint16) {
		r := cubin.InfoRecord{Format: format, Attr: cuda.InfoAttr(attr), Value: v}
		b = r.Append(b)
	}
	accelerated := uint16(0)
	if t.Accelerated {
		accelerated = 1
	}
	put(cuda.FormatByte, cuda.CompatAcceleratorTarget, accelerated)
	if !c.Seen {
		return b
	}
	if c.List != nil {
		for _, r := range c.List {
			b = r.Append(b)
		}
		for _, r := range c.Late {
			b = r.Append(b)
		}
		return b
	}
	put(cuda.FormatByte, cuda.CompatISAClass, uint16(c.Class.V))
	mma := uint16(0)
	for i := range c.Mma {
		mma |= uint16(c.Mma[i].V) << (2 * i)
	}
	put(cuda.FormatByte, cuda.CompatInstTcgen05MMA, mma)
	if !c.IsaLast {
		put(cuda.FormatHalf, cuda.CompatMercuryISAMajorMinor, c.Isa)
	}
	put(cuda.FormatByte, cuda.CompatInstTensormapV1, uint16(c.Tensor))
	put(cuda.FormatByte, cuda.CompatEnableOpportunisticFinalization, uint16(c.Oppo))
	if c.IsaLast {
		put(cuda.FormatHalf, cuda.CompatMercuryISAMajorMinor, c.Isa)
	}
	return b
}
