package cubin_test

import (
	"fmt"
	"os"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// List the kernels of what nvlink 12.4 linked.
func ExampleOpen() {
	data, err := os.ReadFile("../internal/dump/testdata/12.4-sm_80-linked.cubin")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := cubin.Open("linked.cubin", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("sm_%d\n", f.Header.SM())
	table := f.Symtab()
	for i := 1; i < table.Len(); i++ {
		if s, _ := table.At(i); s.Other&cuda.STOEntry != 0 {
			fmt.Printf("kernel %s, %d bytes\n", table.Name(&s), s.Size)
		}
	}
	// Output:
	// sm_80
	// kernel k, 640 bytes
}

// A file that is cut short is refused with kind, section and offset.
func ExampleError() {
	_, err := cubin.Open("cut.cubin", []byte("\x7fELF"))
	fmt.Println(err)
	// Output:
	// cut.cubin: bad ELF header at offset 0x0: value 0x4: the file is shorter than an ELF header
}
