package descriptor_test

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// Patch the low half of an address into bits 32 to 63 of an instruction.
func ExampleDescriptor_Apply() {
	place := make([]byte, 16)
	_, err := descriptor.Table[cuda.R_CUDA_ABS32_LO_32].Apply(place, &descriptor.Values{Rela: true, Symbol: 0x1_0000_0040, Addend: 8})
	fmt.Printf("%x %v\n", place, err)
	// Output:
	// 00000000480000000000000000000000 <nil>
}
