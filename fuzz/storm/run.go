package storm

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how long a run goes on.
type Options struct {
	Seed     uint64
	First    uint64        // number of the first batch
	Batches  uint64        // how many, 0 for no limit
	Duration time.Duration // 0 for no limit
	Workers  int           // 0 for one a processor
	Progress func(*Tally)  // called once a second with what was counted so far; nil for none
}

// Run compares batch after batch until a limit is reached, the context ends or a divergence is found. Of several
// divergences it returns the one with the lowest number of a batch, so that the same run always ends in the same.
func Run(ctx context.Context, o Options) (Tally, *Divergence, error) {
	if o.Batches == 0 && o.Duration == 0 {
		return Tally{}, nil, fmt.Errorf("storm: neither a number of batches nor a duration")
	}
	if o.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Duration)
		defer cancel()
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s := &shared{options: &o}
	s.next.Store(o.First)
	s.lowest.Store(^uint64(0))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { s.work(ctx) })
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if o.Progress != nil {
				s.mu.Lock()
				o.Progress(&s.tally)
				s.mu.Unlock()
			}
			continue
		case <-done:
		}
		break
	}
	if s.found == nil && s.tally.Compared == 0 {
		return s.tally, nil, fmt.Errorf("storm: nothing was compared")
	}
	return s.tally, s.found, nil
}

// Line tells a tally in one line. Since is how long the run took, and busy how much of a processor's time: what a shared
// machine shows of the program is the second.
func Line(t *Tally, since, busy time.Duration) string {
	least, types := t.Least()
	rate := float64(t.Compared) / max(since.Seconds(), 1e-9) / 1e6
	return fmt.Sprintf("%5.0f s  %d batches  %.1f M compared  %.1f M/s  %.1f M a processor second  %d both refuse  %d inexpressible  %d types, each %d times or more",
		since.Seconds(), t.Batches, float64(t.Compared)/1e6, rate, float64(t.Compared)/max(busy.Seconds(), 1e-9)/1e6, t.BothRefuse, t.Inexpressed, types, least)
}

// shared is what the workers of a run have in common.
type shared struct {
	options *Options
	next    atomic.Uint64 // batch to take
	lowest  atomic.Uint64 // batch of found

	mu    sync.Mutex
	tally Tally
	found *Divergence
}

// report is how many batches a worker counts by itself before it tells.
const report = 64

func (s *shared) work(ctx context.Context) {
	var j Judge
	var r Records
	var t Tally
	tell := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tally.Add(&t)
		t = Tally{}
	}
	defer tell()
	for ctx.Err() == nil {
		number := s.next.Add(1) - 1
		if s.options.Batches > 0 && number-s.options.First >= s.options.Batches || number > s.lowest.Load() {
			return
		}
		r.draw(s.options.Seed, number)
		if d := j.Judge(&r, &t); d != nil {
			d.Seed, d.Batch = s.options.Seed, number
			s.mu.Lock()
			if s.found == nil || number < s.found.Batch {
				s.found = d
				s.lowest.Store(number)
			}
			s.mu.Unlock()
		}
		if t.Batches >= report {
			tell()
		}
	}
}
