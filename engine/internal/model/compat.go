package model

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// Compat is the merged .nv.compat. Inputs without the section don't count.
type Compat struct {
	Seen bool
	List []cubin.InfoRecord // all but the accelerator's, in their order
	Late []cubin.InfoRecord // those that follow them
}

// Bytes is the section's content for a target.
func (c *Compat) Bytes(t release.Target, rel *release.Release) []byte {
	var b []byte
	if !rel.FirstNotes {
		accelerated := cubin.InfoRecord{Format: cuda.FormatByte, Attr: cuda.InfoAttr(cuda.CompatAcceleratorTarget)}
		if t.Accelerated {
			accelerated.Value = 1
		}
		b = accelerated.Append(b)
	}
	for _, list := range [][]cubin.InfoRecord{c.List, c.Late} {
		for i := range list {
			if r := &list[i]; rel.Compat.Says(cuda.CompatAttr(r.Attr), r.Value) {
				b = r.Append(b)
			}
		}
	}
	return b
}
