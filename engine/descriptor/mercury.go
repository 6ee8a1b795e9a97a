package descriptor

import (
	"sync"

	"github.com/twinlink/twinlink/cuda"
)

// Mercury is the descriptors of R_MERCURY by number minus cuda.MercuryBase. A
// Mercury field is whole bytes: the last 2, 4 or 8 of an instruction of 16 or 32
// bytes, or a byte of an address; what a type says is where the value comes
// from. Types that a finalizer or a driver resolves have the actions of their
// R_CUDA counterparts.
//
// Source: one-record links of nvlink 13.0.88; a resolved ABS16 writes two bytes
// and leaves the two above.
var Mercury = sync.OnceValue(func() *[cuda.MercuryRelocCount]Descriptor {
	t := new([cuda.MercuryRelocCount]Descriptor)
	at := func(typ uint32) *Descriptor { return &t[typ-cuda.MercuryBase] }
	full := func(width uint32, types ...uint32) {
		for _, typ := range types {
			*at(typ) = Pack(Slot{0, width, Full, 0})
		}
	}
	lanes8 := func(first uint32, action Action) {
		for i := uint32(0); i < lanes; i++ {
			*at(first + i) = Pack(Slot{0, 8, action + Action(i), 8 * i})
		}
	}
	full(64, cuda.R_MERCURY_ABS64, cuda.R_MERCURY_PROG_REL64, cuda.R_MERCURY_ABS_PROG_REL64)
	full(32, cuda.R_MERCURY_ABS32, cuda.R_MERCURY_PROG_REL32, cuda.R_MERCURY_ABS_PROG_REL32)
	full(16, cuda.R_MERCURY_ABS16)
	*at(cuda.R_MERCURY_G64) = Pack(Slot{0, 64, Global, 0})
	for _, typ := range []uint32{cuda.R_MERCURY_ABS32_LO, cuda.R_MERCURY_PROG_REL32_LO, cuda.R_MERCURY_ABS_PROG_REL32_LO} {
		*at(typ) = Pack(Slot{0, 32, Low, 0})
		*at(typ + 1) = Pack(Slot{0, 32, High, 32})
	}
	*at(cuda.R_MERCURY_TEX_HEADER_INDEX) = Pack(Slot{0, 20, Header, 0})
	*at(cuda.R_MERCURY_SAMP_HEADER_INDEX) = Pack(Slot{0, 12, Header, 0})
	*at(cuda.R_MERCURY_SURF_HEADER_INDEX) = Pack(Slot{0, 20, Header, 0})
	*at(cuda.R_MERCURY_UNUSED_CLEAR64) = Pack(Slot{0, 64, Clear, 0})
	*at(cuda.R_MERCURY_FUNC_DESC_64) = Pack(Slot{0, 64, FuncDescRaw, 0})
	lanes8(cuda.R_MERCURY_8_0, Lane0)
	lanes8(cuda.R_MERCURY_G8_0, GlobalLane0)
	lanes8(cuda.R_MERCURY_FUNC_DESC_8_0, FuncLane0)
	lanes8(cuda.R_MERCURY_PROG_REL8_0, Lane0)
	lanes8(cuda.R_MERCURY_UNIFIED_8_0, UnifiedLane0)
	*at(cuda.R_MERCURY_UNIFIED) = Pack(Slot{0, 64, Unified, 0})
	*at(cuda.R_MERCURY_UNIFIED_32) = Pack(Slot{0, 32, Unified, 0})
	*at(cuda.R_MERCURY_UNIFIED32_LO) = Pack(Slot{0, 32, UnifiedLow, 0})
	*at(cuda.R_MERCURY_UNIFIED32_HI) = Pack(Slot{0, 32, UnifiedHigh, 32})
	return t
})
