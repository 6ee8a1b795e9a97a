package main

import (
	"runtime"
	"runtime/debug"
)

// A link holds its inputs and makes tables. Most of what a big link asks of the
// system is memory, so that is asked for in few and large pieces.

const mebibyte = 1 << 20

// largeInputs is how many bytes of inputs are worth mapping them.
const largeInputs = 4 * mebibyte

// fewInputs is how many bytes of inputs a link takes without any garbage collection
// whatever the settings are, which take time to change.
const fewInputs = mebibyte / 4

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
	if collectLater(tableShare * inputs) {
		hugeHeap(tableShare * inputs)
	}
}

// collectLater lets the heap grow to that many bytes before garbage is collected
// for the first time; false where it may grow to that anyway.
func collectLater(heap int) bool {
	const least = 4 * mebibyte // the heap of the first collection at 100 %
	percent := 100 * heap / least
	if percent <= garbagePercent {
		return false
	}
	debug.SetGCPercent(percent)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, garbagePercent)
	return true
}
