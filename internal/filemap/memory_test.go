package filemap

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
	cleanUp(t) // links of earlier tests left cleanups that set the percentage
	debug.SetGCPercent(100)
	const inputs = 16 * Mebibyte
	collectLate(inputs)
	time.Sleep(20 * time.Millisecond) // a cleanup would have run
	if want, got := 100*tableShare, percent(); got != want {
		t.Errorf("garbage is collected at %d %%, want %d", got, want)
	}
	for until := time.Now().Add(10 * time.Second); percent() != GarbagePercent; {
		if time.Now().After(until) {
			t.Fatalf("still %d %% after a collection", percent())
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// cleanUp returns when every cleanup of what is garbage now has run: they are queued
// by collections, and a later collection's run after them.
func cleanUp(t *testing.T) {
	for range 2 {
		ran := make(chan bool)
		runtime.AddCleanup(new([64]byte), func(ran chan bool) { close(ran) }, ran)
		for waited := 0; ; waited++ {
			runtime.GC()
			select {
			case <-ran:
			case <-time.After(time.Millisecond):
				if waited > 10000 {
					t.Fatal("a cleanup doesn't run")
				}
				continue
			}
			break
		}
	}
}
