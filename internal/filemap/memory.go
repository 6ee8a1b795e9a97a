package filemap

import (
	"runtime"
	"runtime/debug"
)

// A link holds its inputs and makes tables. Most of what a big link asks of the
// system is memory, so that is asked for in few and large pieces.

const Mebibyte = 1 << 20

// Large is how many bytes of inputs are worth mapping them.
const Large = 4 * Mebibyte

// few is how many bytes of inputs a link takes without any garbage collection
// whatever the settings are, which take time to change.
const few = Mebibyte / 4

// GarbagePercent is when garbage is collected: a link allocates a few times its
// inputs and ends, so collecting earlier costs more than it frees.
const GarbagePercent = 300

// tableShare is how many times its inputs' bytes a link's tables take at most,
// unless names and records are most of what the inputs hold.
const tableShare = 4

// collectLate lets a command end that takes that many bytes of inputs, a link above all, without collecting
// garbage, and returns memory for some of its tables. Where they take more than their
// share after all, the first collection brings GarbagePercent back.
func collectLate(inputs int) (scratch []byte) {
	heap := tableShare * inputs
	if !asksForMore(heap) {
		return nil
	}
	debug.SetGCPercent(-1)         // hugeHeap collects on its own, once
	scratch = make([]byte, inputs) // before anything is freed: it isn't cleared then
	hugePages(scratch)
	hugeHeap(heap)
	collectAt(100 * tableShare) // of scratch; not before: that collection would be its first
	return scratch
}

// firstHeap is the heap of the first collection at 100 %.
const firstHeap = 4 * Mebibyte

// asksForMore reports whether so large a heap is collected before it is full, as
// the settings are.
func asksForMore(heap int) bool { return 100*heap/firstHeap > GarbagePercent }

// collectAt sets when garbage is collected for the first time; then it is as usual.
func collectAt(percent int) {
	debug.SetGCPercent(percent)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, GarbagePercent)
}
