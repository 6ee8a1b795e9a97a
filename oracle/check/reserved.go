package check

import (
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
		if id.at == nil || id.at.kind != cuda.SHTCudaSharedReserved {
			continue
		}
		id.value, id.placed = 0, true
		if c.side == sassSide {
			id.value = reservedHead
		}
	}
}
