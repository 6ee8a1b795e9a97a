package oracle_test

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Say what a relocation does to an instruction, one bit at a time.
func ExampleApply() {
	out, err := oracle.Apply(cuda.R_CUDA_ABS32_LO_32, make([]byte, 16), oracle.Inputs{Rela: true, S: 0x1_0000_0040, A: 8})
	fmt.Printf("%x %v\n", out.Bytes, err)
	// Output:
	// 00000000480000000000000000000000 <nil>
}
