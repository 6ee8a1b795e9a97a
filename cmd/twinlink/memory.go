package main

import (
	"runtime"
	"runtime/debug"
)

// A link holds its inputs and an image about as large, and between them makes
// tables. Most of what a big link asks of the system is memory, so that is
// asked for in few and large pieces.

const mebibyte = 1 << 20

// largeSlab is from where on a piece of memory is worth a mapping of its own.
const largeSlab = 4 * mebibyte

// slab returns n zeroed bytes, which a large piece keeps until the process ends.
func slab(n int) []byte {
	if n >= largeSlab {
		if b := mapped(n); b != nil {
			return b
		}
	}
	return make([]byte, n)
}

// garbagePercent is when garbage is collected: a link allocates a few times its
// inputs and ends, so collecting earlier costs more than it frees.
const garbagePercent = 300

// tableShare is how many times its inputs' bytes a link's tables take at most,
// unless names and records are most of what the inputs hold.
const tableShare = 4

// collectLate lets a link of that many bytes of inputs end without collecting
// garbage. Where its tables take more than their share after all, the first
// collection brings garbagePercent back.
func collectLate(inputs int) {
	const least = 4 * mebibyte // the heap of the first collection at 100 %
	percent := 100 * inputs / (least / tableShare)
	if percent <= garbagePercent {
		return
	}
	debug.SetGCPercent(percent)
	hugeHeap(tableShare * inputs)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, garbagePercent)
}
