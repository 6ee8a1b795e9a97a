//go:build libfuzzer

package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

// target is set when the archive is linked.
var target string

// LLVMFuzzerTestOneInput is what libFuzzer calls with each input.
//
//export LLVMFuzzerTestOneInput
func LLVMFuzzerTestOneInput(data *C.uint8_t, size C.size_t) C.int {
	t := find(target)
	if t == nil {
		fmt.Fprintf(os.Stderr, "libfuzzer: no target %q\n", target)
		os.Exit(1)
	}
	// The bytes are libFuzzer's own: a judge gets a copy.
	d, err := t.Judge(C.GoBytes(unsafe.Pointer(data), C.int(size)))
	if err != nil {
		panic(err)
	}
	if d != nil {
		panic(d.Error())
	}
	return 0
}
