package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// partSize is how many sections one core takes at a time.
const partSize = 1024

// Do calls work for parts of 0..n-1 that cover it, side by side where
// there is more than one. Each part may write only what is its own: which core
// takes which, and when, must not show.
func Do(n int, work func(from, to int)) {
	parts := (n + partSize - 1) / partSize
	if parts <= 1 {
		work(0, n)
		return
	}
	var next atomic.Int64
	var cores sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), parts) {
		cores.Go(func() {
			for i := int(next.Add(1)) - 1; i < parts; i = int(next.Add(1)) - 1 {
				work(i*partSize, min((i+1)*partSize, n))
			}
		})
	}
	cores.Wait()
}
