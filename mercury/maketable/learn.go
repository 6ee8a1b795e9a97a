package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// job is how tags are learned.
type job struct {
	each    time.Duration // a form is given up after so long; 0: never
	parts   string        // folder of forms that are done
	verbose bool
}

// tools ask nvlink, by SM. One goroutine may use them at a time.
type tools struct {
	oracles map[int]*probe.Oracle
	readers map[int]*probe.Reader
}

func newTools(ctx context.Context) (*tools, error) {
	t := &tools{map[int]*probe.Oracle{}, map[int]*probe.Reader{}}
	// Some records make nvlink run for ever; a busy machine is slow too.
	brief, err := nvidia.Find(ctx, nvidia.Options{Limits: nvidia.Limits{Time: 4 * time.Second}})
	if err != nil {
		return nil, err
	}
	for _, sm := range asked {
		arch := fmt.Sprintf("sm_%d", sm)
		if t.oracles[sm], err = probe.NewOracle(ctx, brief, nvlinkRelease, arch); err != nil {
			return nil, err
		}
		if t.readers[sm], err = probe.NewReader(ctx, brief, nvlinkRelease, arch); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// learnAll learns tags, as many at once as there are processors: each is learned for
// itself. Nearly all the time nvlink is waited for.
func learnAll(ctx context.Context, tags []uint32, samples map[uint32][]learn.Sample, j job) (map[uint32]string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	text, todo := map[uint32]string{}, make(chan uint32)
	var lock sync.Mutex
	var failed error
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(tags)) {
		wait.Go(func() {
			t, err := newTools(ctx)
			for tag := range todo {
				var lines string
				if err == nil {
					lines, err = j.learn(ctx, tag, samples[tag], t)
				}
				lock.Lock()
				text[tag] = lines
				lock.Unlock()
				if err != nil {
					stop()
				}
			}
			lock.Lock()
			defer lock.Unlock()
			if failed == nil || errors.Is(failed, context.Canceled) {
				failed = err
			}
		})
	}
	for _, tag := range tags {
		todo <- tag
	}
	close(todo)
	wait.Wait()
	return text, failed
}

// learn learns a tag, or gives it up.
func (j job) learn(ctx context.Context, tag uint32, samples []learn.Sample, t *tools) (string, error) {
	one, cancel := ctx, func() {}
	if j.each > 0 {
		one, cancel = context.WithTimeout(ctx, j.each)
	}
	defer cancel()
	text, err := form(one, tag, samples, t.oracles, t.readers, j.parts, j.verbose)
	if one.Err() != nil && ctx.Err() == nil && text == "" {
		fmt.Fprintf(os.Stderr, "%08x given up\n", tag)
		return "", nil
	}
	return text, err
}
