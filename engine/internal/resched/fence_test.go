package resched

import (
	"bytes"
	"testing"
)

// TestFencePromise promises nothing of kernels that get a fence from an object compiled with -g beside them and come
// out otherwise than nvlink 13.0.88 makes them: an atomic of shared memory stands as far from the fence as was seen
// to be a close call. How far that is depends on how long the fence is. ptxas 13.0.88 compiled them from the PTX beside.
func TestFencePromise(t *testing.T) {
	eachPair(t, "fence", func(file string, text, want []byte) {
		if r := Kernel(text, Options{Fence: true}); r.Exact && !bytes.Equal(r.Text, want) {
			t.Errorf("%s: promised, and other than nvlink's", file)
		}
	})
}
