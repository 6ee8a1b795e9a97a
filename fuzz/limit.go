package fuzz

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/twinlink/twinlink/internal/cputime"
)

// What a hostile input may cost, by the project's rule.
const (
	maxTime  = time.Second
	maxBytes = 64 << 20 // and eight times the input
)

// within runs f and tells if it panicked or took more than it may of time or
// memory. Time is the process's own, so that a busy machine makes nothing late; memory is all
// that was asked for on the way, more than was ever held at once.
func within(key string, size int, f func() *Divergence) *Divergence {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cputime.Now()
	d := guarded(key, f)
	took := cputime.Now() - began
	runtime.ReadMemStats(&after)
	if d != nil {
		return d
	}
	if took > maxTime {
		return &Divergence{Key: key + "-time", What: fmt.Sprintf("%v for %d bytes", took, size)}
	}
	if sum := after.TotalAlloc - before.TotalAlloc; sum > maxBytes+8*uint64(size) {
		return &Divergence{Key: key + "-memory", What: fmt.Sprintf("%d bytes allocated for %d", sum, size)}
	}
	return nil
}

// guarded makes a divergence of a panic, so that it is saved as others are.
func guarded(key string, f func() *Divergence) (d *Divergence) {
	defer func() {
		if p := recover(); p != nil {
			d = &Divergence{Key: key + "-panic", What: fmt.Sprint(p), Traces: []Trace{{"stack", string(debug.Stack())}}}
		}
	}()
	return f()
}
