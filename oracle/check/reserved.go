package check

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory that the system reserves, .nv.shared.reserved.0 of sm_100a, sm_103a
// and sm_110. Each variable lies behind another, at a multiple of its alignment, which is
// its value in an input. The order is the output's; nvlink puts those of the largest
// alignment first. The Mercury side has it as merged, the first variable at 0; the finalizer
// puts 64 bytes before. With -r nothing is laid out.
//
// Source: links by nvlink 13.0.88, 13.1.115 and 13.5.37 of kernels for sm_100a, 103a and
// 110a, in several orders.

const reservedHead = 0x40

// laysReserved reports whether an area is reserved memory that this link lays out.
func (c *check) laysReserved(a *area) bool {
	return a.kind == cuda.SHTCudaSharedReserved && c.out.side != whole && !c.relocatable
}

func (c *check) placeReserved() {
	head := uint64(0)
	if c.side == sassSide {
		head = reservedHead
	}
	for _, a := range c.areas {
		if !c.laysReserved(a) {
			continue
		}
		for _, p := range a.parts {
			p.base, p.placed = head, true
		}
		a.size = head
	}
	var list []*identity
	for _, id := range c.ids {
		if id.at != nil && c.laysReserved(id.at) && id.def != nil {
			list = append(list, id)
		}
	}
	place := func(id *identity) uint64 {
		if s := c.symbolOf(id); s != nil {
			return s.value
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b *identity) int { return cmp.Compare(place(a), place(b)) })
	for _, id := range list {
		if align := id.def.value; align&(align-1) == 0 {
			id.at.size = roundUp(id.at.size, max(align, 1))
		}
		id.value, id.placed = id.at.size, true
		id.at.size += id.size
	}
}
