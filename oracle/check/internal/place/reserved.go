package place

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Shared memory that the system reserves, .nv.shared.reserved.0 of sm_100a, sm_103a
// and sm_110. Each variable is after another, at a multiple of its alignment, which is
// its value in an input. The order is the output's; nvlink puts those of the largest
// alignment first. The Mercury side has it as merged, the first variable at 0; the finalizer
// puts 64 bytes before. With -r nothing is laid out.
//
// Source: links by nvlink 13.0.88, 13.1.115 and 13.5.37 of kernels for sm_100a, 103a and
// 110a, in several orders.

const reservedHead = 0x40

// laysReserved reports whether an area is reserved memory that this link lays out.
func (c *Places) laysReserved(a *link.Area) bool {
	return a.Kind == cuda.SHTCudaSharedReserved && c.Out.Side != image.Whole && !c.Relocatable
}

func (c *Places) placeReserved() {
	head := uint64(0)
	if c.Side == image.SassSide {
		head = reservedHead
	}
	for _, a := range c.Areas {
		if !c.laysReserved(a) {
			continue
		}
		for _, p := range a.Parts {
			p.Base, p.Placed = head, true
		}
		a.Size = head
	}
	var list []*link.Identity
	for _, id := range c.IDs {
		if id.At != nil && c.laysReserved(id.At) && id.Def != nil {
			list = append(list, id)
		}
	}
	place := func(id *link.Identity) uint64 {
		if s := c.SymbolOf(id); s != nil {
			return s.Value
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b *link.Identity) int { return cmp.Compare(place(a), place(b)) })
	for _, id := range list {
		if align := id.Def.Value; align&(align-1) == 0 {
			id.At.Size = image.RoundUp(id.At.Size, max(align, 1))
		}
		id.Value, id.Placed = id.At.Size, true
		id.At.Size += id.Size
	}
}
