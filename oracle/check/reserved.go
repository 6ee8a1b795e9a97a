package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory that the system reserves, .nv.shared.reserved.0 of sm_110. The
// Mercury side has it as merged, its variable at 0; the finalizer puts 64 bytes
// before. With -r nothing is laid out.

const reservedHead = 0x40

func (c *check) placeReserved() {
	if c.out.side == whole || c.relocatable {
		return
	}
	for _, a := range c.areas {
		if a.kind == cuda.SHTCudaSharedReserved && c.side == sassSide {
			a.size += reservedHead
		}
	}
	for _, id := range c.ids {
		if id.at.area == nil || id.at.area.kind != cuda.SHTCudaSharedReserved {
			continue
		}
		id.value = 0
		if c.side == sassSide {
			id.value = reservedHead
		}
	}
}

// shifted lists where a unit of compiler constants went: into the banks of its
// kernels. For any other area that is the area itself.
func (p place) shifted() []place {
	if !p.area.moved {
		return []place{p}
	}
	var list []place
	for _, bank := range p.area.movedInto {
		if !slices.ContainsFunc(list, func(q place) bool { return q.area == bank }) {
			list = append(list, place{bank, p.area.movedTo + p.base})
		}
	}
	return list
}
