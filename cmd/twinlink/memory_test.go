package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A large link's heap grows to its tables' share of the inputs before garbage is
// collected, and the first collection brings the usual percentage back.
func TestCollectLate(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer func() { debug.SetGCPercent(before) }()
	percent := func() int {
		p := debug.SetGCPercent(-1)
		debug.SetGCPercent(p)
		return p
	}
	const inputs = 16 * mebibyte
	collectLate(inputs)
	time.Sleep(20 * time.Millisecond) // a cleanup would have run
	if want, got := 100*tableShare*inputs/firstHeap, percent(); got != want {
		t.Errorf("garbage is collected at %d %%, want %d", got, want)
	}
	for until := time.Now().Add(10 * time.Second); percent() != garbagePercent; {
		if time.Now().After(until) {
			t.Fatalf("still %d %% after a collection", percent())
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
