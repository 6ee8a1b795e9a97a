package selfcheck

import (
	"runtime/debug"
	"sync"
)

// step is a part of a check. Those that ask capsules run in one goroutine: capsules
// share what they remember.
type step struct {
	capsules bool
	run      func(*checker)
}

// manySections is from how many on the steps that ask no capsule are worth a goroutine.
var manySections = 2000

// inOrder runs steps. In a file with many sections those that ask no capsule run beside the
// others; what they find is added in the order of the steps.
func (c *checker) inOrder(steps []step) {
	if len(c.m.Sections) < manySections || c.workers() == 1 {
		for _, s := range steps {
			s.run(c)
		}
		return
	}
	with := make([]*checker, len(steps))
	for i := range with {
		with[i] = c.worker()
	}
	with[0].opts.Limit -= len(c.report.Findings) // it asks whether it is reached
	c.aside(steps, with, func() {
		asking := c.worker() // remembers from step to step
		for i, s := range steps {
			if s.capsules {
				asking.report, asking.repairs = with[i].report, nil
				s.run(asking)
				with[i].repairs = asking.repairs
			}
		}
	})
	for _, w := range with {
		c.joinOne(w)
		if w.shares != nil {
			c.shares = w.shares
		}
	}
}

// aside makes the steps that ask no capsule in a goroutine while do runs, and waits.
func (c *checker) aside(steps []step, with []*checker, do func()) {
	var panicked any
	var wait sync.WaitGroup
	onFault := debug.SetPanicOnFault(true)
	debug.SetPanicOnFault(onFault)
	wait.Go(func() {
		// A fault of the file's memory, which a caller may map, is the caller's.
		debug.SetPanicOnFault(onFault)
		defer func() { panicked = recover() }()
		for i, s := range steps {
			if !s.capsules {
				s.run(with[i])
			}
		}
	})
	defer func() {
		wait.Wait()
		if panicked != nil {
			panic(panicked)
		}
	}()
	do()
}
