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

// A type's recipe, as text.
func ExampleRecipeOf() {
	r, err := oracle.RecipeOf(cuda.R_CUDA_ABS32_LO_32)
	fmt.Println(r, err)
	fmt.Println(r.Fields(), "field in", r.Bytes(), "bytes")
	// Output:
	// bits[32..63] = LO(ADDR) + OLD <nil>
	// 1 field in 8 bytes
}

// What each step of a recipe reads, computes and writes.
func ExampleTrace() {
	t, err := oracle.Trace(cuda.R_CUDA_ABS32_LO_32, make([]byte, 16), oracle.Inputs{Rela: true, S: 0x1_0000_0040, A: 8})
	fmt.Println(t.Steps[0], err)
	// Output:
	// bits[32..63] = LO(ADDR) + OLD: old 0x0, value 0x48, new 0x48 <nil>
}

// Whether the linker carries a record out, or leaves it to the driver.
func ExampleDispositionOf() {
	for _, kind := range []oracle.SymbolKind{oracle.Constant, oracle.Global} {
		d, err := oracle.DispositionOf(cuda.R_CUDA_ABS32_LO_32, kind, 130, 90)
		fmt.Println(d.Action, err)
	}
	// Output:
	// patches <nil>
	// keeps <nil>
}

// Sixty-four records of one type at once.
func ExampleBatch() {
	var b oracle.Batch
	places := new([oracle.Lanes][oracle.PlaceBytes]byte)
	in := new([oracle.Lanes]oracle.Inputs)
	for i := range in {
		in[i] = oracle.Inputs{Rela: true, S: uint64(i)}
	}
	b.Set(places, in)
	var out oracle.Applied
	err := b.Apply(cuda.R_CUDA_ABS32_LO_32, true, &out)
	fmt.Printf("%x %v\n", out.Places[0][63], err)
	// Output:
	// 3f00000000 <nil>
}
