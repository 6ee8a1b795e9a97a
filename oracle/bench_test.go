package oracle

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// One evaluation a second of the measure is one call of Apply for a
// type with one field; fields/s counts the fields.
func BenchmarkApply(b *testing.B) {
	for _, c := range []struct {
		name   string
		number uint32
		rela   bool
	}{
		{"ABS32_32/RELA", cuda.R_CUDA_ABS32_32, true},
		{"ABS32_32/REL", cuda.R_CUDA_ABS32_32, false},
		{"8_24/RELA", cuda.R_CUDA_8_24, true},
		{"64/REL", cuda.R_CUDA_64, false},
		{"CONST_FIELD22_37/RELA", cuda.R_CUDA_CONST_FIELD22_37, true},
		{"CONST_FIELD19_28/REL", cuda.R_CUDA_CONST_FIELD19_28, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			place := []byte{0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 9, 10, 11, 12, 13, 14, 15, 16}
			fields := 0
			for i := 0; b.Loop(); i++ {
				out, err := Apply(c.number, place, Inputs{Rela: c.rela, S: 0xfedcba9876543210 + uint64(i), A: -8, SectionType: bank3})
				if err != nil {
					b.Fatal(err)
				}
				fields += len(out.recipe.steps)
			}
			b.ReportMetric(float64(fields)/b.Elapsed().Seconds(), "fields/s")
		})
	}
}
