package place

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// gather sorts the sections of the inputs by where they belong.
func (c *Places) gather() {
	for _, m := range c.Modules {
		for _, i := range m.MergeOrder() {
			s := &m.Sections[i]
			code := m.Bodies[i]
			owner := m.OwnerOf(s)
			if code != nil {
				owner = code
			}
			if owner != nil && (owner.Owner == nil || owner.Owner.Code != owner) {
				continue // of a definition that lost
			}
			if image.NoBits(s.Kind) && !m.Accepted[i] && s.Kind != cuda.SHTCudaSharedReserved {
				continue // every object in it is another module's
			}
			a := c.Area(link.BaseName(s, owner), s.Name, owner)
			if a.Kind == 0 {
				a.Kind, a.Flags = s.Kind, s.Flags
			}
			p := &link.Part{Mod: m, Section: s, Base: image.RoundUp(a.Size, s.Align)}
			a.Size, a.Align = p.Base+s.Size, max(a.Align, s.Align)
			a.Parts = append(a.Parts, p)
			m.Places[i] = link.Place{Area: a, Part: p}
			if code != nil {
				owner.Area = a
			}
		}
	}
	for _, id := range c.Commons {
		if id.Common {
			a := c.Area(".nv.global", ".nv.global", nil)
			if a.Kind == 0 {
				a.Kind, a.Flags = cuda.SHTCudaGlobal, cuda.SHFWrite|cuda.SHFAlloc
			}
			a.Align = max(a.Align, id.FirstAlign)
			id.At = a
		}
	}
	for _, id := range c.IDs {
		if id.Def != nil && !id.Def.Special {
			id.At = id.Mod.Places[id.Def.Shndx].Area
		}
	}
}
