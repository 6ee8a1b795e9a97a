package resched

import "testing"

// TestFenceBeforeLoop makes kernels in which a new fence lets the result of an LDC be
// complete before a loop what nvlink 13.5.37 makes of them with -g; but promises
// nothing, for the bound isn't known well. They are scale_f32 of one CUDA program, compiled
// by ptxas for sm_120a, for float and bfloat16.
func TestFenceBeforeLoop(t *testing.T) {
	sameInDoubt(t, "fenceloop", Options{Debug: true, Fence: true, Late: true})
}
