package mercury

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// R_MERCURY types: what the link makes of them, and what they are on the SASS
// side of the image. Source: 621 one-record links of nvlink 13.0.88.

// mercPlain returns what a final link makes of a unified type.
func mercPlain(typ uint32) (plain uint32, ok bool) {
	if n := typ - cuda.MercuryBase; n < cuda.MercuryRelocCount {
		return plainTypes[n], plainTypes[n] != 0
	}
	return 0, false
}

// plainTypes are those of unified types, from the first type on; 0 for others.
var plainTypes = [cuda.MercuryRelocCount]uint32{
	cuda.R_MERCURY_UNIFIED - cuda.MercuryBase:      cuda.R_MERCURY_ABS64,
	cuda.R_MERCURY_UNIFIED_32 - cuda.MercuryBase:   cuda.R_MERCURY_ABS32,
	cuda.R_MERCURY_UNIFIED_8_0 - cuda.MercuryBase:  cuda.R_MERCURY_8_0,
	cuda.R_MERCURY_UNIFIED_8_8 - cuda.MercuryBase:  cuda.R_MERCURY_8_8,
	cuda.R_MERCURY_UNIFIED_8_16 - cuda.MercuryBase: cuda.R_MERCURY_8_16,
	cuda.R_MERCURY_UNIFIED_8_24 - cuda.MercuryBase: cuda.R_MERCURY_8_24,
	cuda.R_MERCURY_UNIFIED_8_32 - cuda.MercuryBase: cuda.R_MERCURY_8_32,
	cuda.R_MERCURY_UNIFIED_8_40 - cuda.MercuryBase: cuda.R_MERCURY_8_40,
	cuda.R_MERCURY_UNIFIED_8_48 - cuda.MercuryBase: cuda.R_MERCURY_8_48,
	cuda.R_MERCURY_UNIFIED_8_56 - cuda.MercuryBase: cuda.R_MERCURY_8_56,
	cuda.R_MERCURY_UNIFIED32_LO - cuda.MercuryBase: cuda.R_MERCURY_ABS32_LO,
	cuda.R_MERCURY_UNIFIED32_HI - cuda.MercuryBase: cuda.R_MERCURY_ABS32_HI,
}

// mercApplied are the types that the linker resolves against a constant or a
// variable in shared memory.
func mercApplied(typ uint32) bool {
	switch {
	case typ == cuda.R_MERCURY_ABS32 || typ == cuda.R_MERCURY_ABS16:
		return true
	case typ >= cuda.R_MERCURY_8_0 && typ <= cuda.R_MERCURY_8_56:
		return true
	case typ >= cuda.R_MERCURY_UNIFIED_32 && typ <= cuda.R_MERCURY_UNIFIED_8_56:
		return true
	}
	return false
}

// sassTypes are the types of kept relocations on the SASS side, those of data
// and debug sections; sassCodeType has the exceptions in code. Halves of an
// address keep their R_MERCURY number in data. By number from the first type on, 0
// for others.
var sassTypes = [cuda.MercuryRelocCount]uint32{
	cuda.R_MERCURY_G64 - cuda.MercuryBase:               cuda.R_CUDA_G64,
	cuda.R_MERCURY_ABS64 - cuda.MercuryBase:             cuda.R_CUDA_64,
	cuda.R_MERCURY_ABS32 - cuda.MercuryBase:             cuda.R_CUDA_32,
	cuda.R_MERCURY_TEX_HEADER_INDEX - cuda.MercuryBase:  cuda.R_CUDA_TEX_HEADER_INDEX,
	cuda.R_MERCURY_SAMP_HEADER_INDEX - cuda.MercuryBase: cuda.R_CUDA_SAMP_HEADER_INDEX_0,
	cuda.R_MERCURY_SURF_HEADER_INDEX - cuda.MercuryBase: cuda.R_CUDA_SURF_HEADER_INDEX,
	cuda.R_MERCURY_UNUSED_CLEAR64 - cuda.MercuryBase:    cuda.R_CUDA_UNUSED_CLEAR64,
	cuda.R_MERCURY_FUNC_DESC_64 - cuda.MercuryBase:      cuda.R_CUDA_FUNC_DESC_64,
	cuda.R_MERCURY_ABS_PROG_REL32 - cuda.MercuryBase:    cuda.R_CUDA_32,
	cuda.R_MERCURY_ABS_PROG_REL64 - cuda.MercuryBase:    cuda.R_CUDA_64,
	cuda.R_MERCURY_UNIFIED - cuda.MercuryBase:           cuda.R_CUDA_UNIFIED,
	cuda.R_MERCURY_UNIFIED_32 - cuda.MercuryBase:        cuda.R_CUDA_UNIFIED_32,
	cuda.R_MERCURY_UNIFIED32_LO - cuda.MercuryBase:      cuda.R_CUDA_UNIFIED32_LO_32,
	cuda.R_MERCURY_UNIFIED32_HI - cuda.MercuryBase:      cuda.R_CUDA_UNIFIED32_HI_32,
}

// mercLanes are runs of types for the eight bytes of an address.
var mercLanes = [...]struct{ merc, sass uint32 }{
	{cuda.R_MERCURY_8_0, cuda.R_CUDA_8_0},
	{cuda.R_MERCURY_G8_0, cuda.R_CUDA_G8_0},
	{cuda.R_MERCURY_FUNC_DESC_8_0, cuda.R_CUDA_FUNC_DESC_8_0},
	{cuda.R_MERCURY_UNIFIED_8_0, cuda.R_CUDA_UNIFIED_8_0},
}

// sassDataType returns the SASS type of a kept relocation of data; false where
// the SASS side has no such record.
func sassDataType(typ uint32) (uint32, bool) {
	if n := typ - cuda.MercuryBase; n < cuda.MercuryRelocCount && sassTypes[n] != 0 {
		return sassTypes[n], true
	}
	switch {
	case typ == cuda.R_MERCURY_ABS16 || typ == cuda.R_MERCURY_ABS32_LO || typ == cuda.R_MERCURY_ABS32_HI,
		typ == cuda.R_MERCURY_ABS_PROG_REL32_LO || typ == cuda.R_MERCURY_ABS_PROG_REL32_HI, typ >= layout.PastMercury:
		return typ, true
	}
	for _, r := range mercLanes {
		if typ >= r.merc && typ < r.merc+8 {
			return typ - r.merc + r.sass, true
		}
	}
	return 0, false
}

// sassCodeType returns the SASS type of a kept relocation of code. sassType: the
// one in the input, 0 for none; form: the operand that it is about; toEntry: its symbol
// is a kernel.
func sassCodeType(r *model.Reloc, sassType uint32, form operand, toEntry bool) (uint32, bool) {
	switch r.NewType {
	case cuda.R_MERCURY_ABS64:
		if sassType != 0 {
			return sassType, true
		}
		return cuda.R_CUDA_ABS55_16_34, true
	case cuda.R_MERCURY_ABS32:
		if sassType != 0 && sassType != cuda.R_CUDA_ABS32_LO_32 && sassType != cuda.R_CUDA_ABS32_HI_32 {
			return sassType, true
		}
		if toEntry {
			return cuda.R_CUDA_FUNC_DESC32_32, true
		}
		return cuda.R_CUDA_ABS32_32, true
	case cuda.R_MERCURY_ABS16:
		if sassType != 0 {
			return sassType, true
		}
		if form == inBank {
			return cuda.R_CUDA_CONST_FIELD21_38, true
		}
		return cuda.R_CUDA_ABS16_32, true
	case cuda.R_MERCURY_ABS32_LO, cuda.R_MERCURY_UNIFIED32_LO:
		if toEntry {
			return cuda.R_CUDA_FUNC_DESC32_LO_32, true
		}
		if r.NewType == cuda.R_MERCURY_UNIFIED32_LO { // with -r; else it is a plain one by now
			return cuda.R_CUDA_UNIFIED32_LO_32, true
		}
		return cuda.R_CUDA_ABS32_LO_32, true
	case cuda.R_MERCURY_ABS32_HI, cuda.R_MERCURY_UNIFIED32_HI:
		if toEntry {
			return cuda.R_CUDA_FUNC_DESC32_HI_32, true
		}
		if r.NewType == cuda.R_MERCURY_UNIFIED32_HI {
			return cuda.R_CUDA_UNIFIED32_HI_32, true
		}
		return cuda.R_CUDA_ABS32_HI_32, true
	case cuda.R_MERCURY_ABS_PROG_REL32_LO:
		return cuda.R_CUDA_ABS32_LO_32, true
	case cuda.R_MERCURY_ABS_PROG_REL32_HI:
		return cuda.R_CUDA_ABS32_HI_32, true
	}
	return sassDataType(r.NewType)
}
