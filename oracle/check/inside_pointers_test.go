package check

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A kernel of ptxas -ewp that takes the address of a function inside it and calls through a pointer, linked with -g by
// nvlink 13.5.37, which puts words in front: the place of the function, the place to come back to and the distance to the
// kernel's start, which CALL.REL of a register has, are moved with them.
func TestInsidePointers(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "inside_pointers", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	inputs, output := []Input{{Name: "a.cubin", Data: read("a.cubin")}}, read("out.cubin")
	o := Options{Arch: "sm_100", Debug: true, Toolkit: "13.5"}
	if v := Check(inputs, output, o); !v.Agrees() {
		t.Errorf("nvlink's: %s", v)
	}
	first := bytes.Index(output, []byte("\x82\x78\x04\x00\x20\x01\x00\x00")) // UMOV UR4, 0x120
	if first < 0 {
		t.Fatal("the function's place isn't there")
	}
	for name, at := range map[string]int{"the function's place": first + 4, "the place to come back to": first + 0x44, "the distance of the call": first + 0x72} {
		wrong := bytes.Clone(output)
		wrong[at] ^= 0x10
		if v := Check(inputs, wrong, o); v.Agrees() {
			t.Errorf("%s may be another", name)
		}
	}
}
