package mercury

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// TestUnified wants the types that nvlink 13.0.88 -r writes on the SASS side for
// the address of a device function: it keeps 112 and 113.
func TestUnified(t *testing.T) {
	for typ, want := range map[uint32]uint32{
		cuda.R_MERCURY_UNIFIED32_LO: cuda.R_CUDA_UNIFIED32_LO_32,
		cuda.R_MERCURY_UNIFIED32_HI: cuda.R_CUDA_UNIFIED32_HI_32,
		cuda.R_MERCURY_ABS32_LO:     cuda.R_CUDA_ABS32_LO_32,
		cuda.R_MERCURY_ABS32_HI:     cuda.R_CUDA_ABS32_HI_32,
	} {
		if got, ok := sassCodeType(&model.Reloc{NewType: typ}, 0, immediate, false); !ok || got != want {
			t.Errorf("type %#x becomes %d, want %d", typ, got, want)
		}
	}
}
