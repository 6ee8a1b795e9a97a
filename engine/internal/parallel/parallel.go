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
	DoWith(n, func() func(from, to int) { return work })
}

// DoWith is Do with work of its own for each core.
func DoWith(n int, each func() (work func(from, to int))) {
	parts := (n + partSize - 1) / partSize
	Run(parts, func(next func() int) {
		work := each()
		for i := next(); i >= 0; i = next() {
			work(i*partSize, min((i+1)*partSize, n))
		}
	})
}

// Run calls work on each core, side by side. next returns the number of a part,
// each of 0..parts-1 once, and then -1. Each core may write only what belongs to
// its parts. A panic of work is one of the caller.
func Run(parts int, work func(next func() int)) {
	var taken atomic.Int64
	next := func() int {
		if i := int(taken.Add(1)) - 1; i < parts {
			return i
		}
		return -1
	}
	n := min(runtime.GOMAXPROCS(0), parts)
	if n <= 1 {
		work(next)
		return
	}
	var cores sync.WaitGroup
	var broken atomic.Pointer[any]
	share := func() {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a mapped input that shrank
		defer func() {
			if r := recover(); r != nil {
				broken.Store(&r)
			}
		}()
		work(next)
	}
	for range n - 1 {
		cores.Go(share)
	}
	share() // the caller has a core too
	cores.Wait()
	if r := broken.Load(); r != nil {
		panic(*r)
	}
}
