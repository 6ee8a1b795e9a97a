package resched

import (
	"bytes"
	"testing"
)

// TestFenceBeforeLoop makes kernels in which a new fence lets the result of an LDC be
// complete in front of a loop what nvlink 13.5.37 makes of them with -g; but promises
// nothing, for the bound isn't known well. They are scale_f32 of one CUDA program, compiled
// by ptxas for sm_120a, for float and bfloat16.
func TestFenceBeforeLoop(t *testing.T) {
	eachPair(t, "fenceloop", func(file string, text, want []byte) {
		r := Kernel(text, Options{Debug: true, Fence: true, Late: true})
		if r.Lost != nil {
			t.Errorf("%s: lost %+v", file, r.Lost)
		}
		if r.Exact {
			t.Errorf("%s: no doubt", file)
		}
		if !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other than nvlink's", file)
		}
	})
}
