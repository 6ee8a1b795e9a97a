package cuda_test

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

func ExampleLookupReloc() {
	for _, number := range []uint32{56, 0x10002} {
		r, _ := cuda.LookupReloc(number)
		fmt.Println(number, r.Name)
	}
	// Output:
	// 56 R_CUDA_ABS32_LO_32
	// 65538 R_MERCURY_ABS64
}
