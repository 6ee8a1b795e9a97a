package check

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNameless: alone.ptx by ptxas 13.0.88 -ewp has a kernel whose shared memory has no name, only a length. What nvlink
// 13.0.88 made of it with -r loses that in a second step by nvlink 13.0 to 13.3, and not by 13.4 and 13.5.
func TestNameless(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "nameless", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	inputs := []Input{{Name: "alone.cubin", Data: read("alone.cubin")}}
	for name, right := range map[string]bool{"one-step-13.0": true, "two-steps-13.4": true, "two-steps-13.0": false} {
		v := Check(inputs, read(name+".cubin"), Options{Arch: "sm_86"})
		switch {
		case v.Agrees() != right:
			t.Errorf("%s: %s", name, v)
		case !right && (v.Total != 1 || v.Findings[0].Kind != SharedSize):
			t.Errorf("%s: %s", name, v)
		}
	}
}
