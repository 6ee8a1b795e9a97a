package check

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory that the system reserves, .nv.shared.reserved.0 of sm_100a, sm_103a
// and sm_110. Its variables lie where the output's symbols say, each at a multiple
// of its alignment, which is its value in an input, and none over another. The Mercury
// side has it as merged, the first variable at 0; the finalizer puts 64 bytes before.
// With -r nothing is laid out.
//
// Source: links by nvlink 13.0.88, 13.1.115 and 13.5.37 of kernels for sm_100a, 103a and
// 110a, in several orders: those of the largest alignment come first.

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
		var list []*identity
		for _, id := range c.ids {
			if id.at == a && id.def != nil {
				list = append(list, id)
			}
		}
		a.size = c.placeOneBehindOther(list, head)
		if end, ok := c.reservedAsTold(list, head); ok {
			a.size = end
		}
	}
}

// placeOneBehindOther is where variables are wanted when the output's symbols can't be right.
func (c *check) placeOneBehindOther(list []*identity, end uint64) uint64 {
	for _, id := range list {
		if align := id.def.value; align&(align-1) == 0 {
			end = roundUp(end, max(align, 1))
		}
		id.value, id.placed = end, true
		end += id.size
	}
	return end
}

// reservedAsTold places variables where the output's symbols say and returns where the last
// one ends; not ok if one has no symbol, is misaligned, or lies over another.
func (c *check) reservedAsTold(list []*identity, head uint64) (end uint64, ok bool) {
	for _, id := range list {
		s := c.symbolOf(id)
		if s == nil || s.value > 1<<32 || id.size > 1<<32 || s.value&(max(id.def.value, 1)-1) != 0 {
			return 0, false
		}
	}
	places := slices.SortedFunc(slices.Values(list), func(a, b *identity) int { return cmp.Compare(c.symbolOf(a).value, c.symbolOf(b).value) })
	end = head
	for _, id := range places {
		if c.symbolOf(id).value < end {
			return 0, false
		}
		end = c.symbolOf(id).value + id.size
	}
	for _, id := range list {
		id.value = c.symbolOf(id).value
	}
	return end, true
}
