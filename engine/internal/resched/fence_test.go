package resched

import (
	"bytes"
	"testing"
)

// TestFencePromise promises nothing of kernels that get a fence from an object compiled with -g beside them and come
// out otherwise than nvlink 13.0.88 makes them: an atomic of shared memory is as far from the fence as was seen
// to be a close call. How far that is depends on how long the fence is. ptxas 13.0.88 compiled them from the PTX beside.
func TestFencePromise(t *testing.T) {
	eachPair(t, "fence", func(file string, text, want []byte) {
		if r := Kernel(text, Options{Fence: true}); r.Exact && !bytes.Equal(r.Text, want) {
			t.Errorf("%s: promised, and other than nvlink's", file)
		}
	})
}

// TestSurfaceAtFence puts a fence between a surface store and the EXIT that waits for its sources, and takes it away
// again. ptxas 13.5.37 compiled the kernel for sm_120; nvlink 13.5.37 with -g gives the other, and with -r -g, then
// without, the first again.
func TestSurfaceAtFence(t *testing.T) {
	eachPair(t, "surface", func(file string, text, want []byte) {
		if r := Kernel(text, Options{Debug: true, Fence: true, Late: true}); !r.Exact || !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other with a fence, or a doubt", file)
		}
		var gone []int
		for i := range len(want)/WordSize - fenceWords {
			if IsFenced(want, i, i+fenceWords+1) {
				for k := range fenceWords {
					gone = append(gone, i+k)
				}
			}
		}
		if r := Kernel(want, Options{Stays: true, Late: true, Gone: gone}); !r.Exact || !bytes.Equal(r.Text, text) {
			t.Errorf("%s: other without its fence, or a doubt", file)
		}
	})
}

// TestReadAtFence has a store stall for as long as a guarded EXIT needs its predicate, and a load before it taking
// part of that time: the EXIT then doesn't wait for the store, but where nothing is waited for it does. ptxas 13.0.88
// compiled the kernels from the PTX beside, chosen at random; nvlink 13.0.88 with -g gives the others.
func TestReadAtFence(t *testing.T) {
	eachPair(t, "fenceread", func(file string, text, want []byte) {
		if r := Kernel(text, Options{Debug: true, Fence: true}); !r.Exact || !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other with a fence, or a doubt", file)
		}
	})
}
