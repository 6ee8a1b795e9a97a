package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// partSize is how many sections one core takes at a time.
const partSize = 1024

// Do calls work for parts of 0..n-1 that cover it, side by side where
// there is more than one. Each part may write only what is its own: which core
// takes which, and when, must not show. A panic of work is one of the caller.
func Do(n int, work func(from, to int)) {
	parts := (n + partSize - 1) / partSize
	if parts <= 1 {
		work(0, n)
		return
	}
	var next atomic.Int64
	var cores sync.WaitGroup
	var broken atomic.Pointer[any]
	for range min(runtime.GOMAXPROCS(0), parts) {
		cores.Go(func() {
			debug.SetPanicOnFault(true) // of a mapped input that shrank
			defer func() {
				if r := recover(); r != nil {
					broken.Store(&r)
				}
			}()
			for i := int(next.Add(1)) - 1; i < parts; i = int(next.Add(1)) - 1 {
				work(i*partSize, min((i+1)*partSize, n))
			}
		})
	}
	cores.Wait()
	if r := broken.Load(); r != nil {
		panic(*r)
	}
}
