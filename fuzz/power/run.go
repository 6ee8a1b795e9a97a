package power

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// Options say what Run does.
type Options struct {
	Root    Root
	Only    string        // pattern of path.Match for "AREA/FAULT"; "" for all
	Fit     bool          // only see that every text is in its file once
	Compile bool          // only plant and compile
	Workers int           // how many at once, at least 1
	Live    bool          // ask the live detectors as well
	Fuzz    bool          // ask the fuzz targets as well
	Draw    int           // that many drawn faults instead of the lists
	Seed    uint64        // of what is drawn
	Own     bool          // ask the tests of the fault's own package alone
	Under   string        // folder for random faults; "" for all
	Results string        // file to which results are added, "" for none
	Resume  bool          // faults that Results says are found, or equivalent, are not tried again
	Limit   time.Duration // no fault is begun after this time; 0 for all
	Seek    Questions     // on which survivors are tried, for a test that is missing
	Each    func(Result)
}

// ownTests is the detector that is the tests of a fault's own package, which may have none.
const ownTests = "own"

// task is a fault to be tried.
type task struct {
	fault     *Fault
	detectors []Detector
	at        int
}

// tasks returns what the options ask for.
func (o *Options) tasks() ([]task, error) {
	areas, err := Areas()
	if err != nil {
		return nil, err
	}
	detectors := map[string][]Detector{}
	var faults []*Fault
	for i := range areas {
		a := &areas[i]
		for _, d := range a.Detectors {
			if (d.Name != "live" || o.Live) && (d.Name != "fuzz" || o.Fuzz) {
				detectors[a.Name] = append(detectors[a.Name], d)
			}
		}
		for j := range a.Faults {
			faults = append(faults, &a.Faults[j])
		}
	}
	if o.Draw > 0 {
		drawn, err := o.Root.Draw(o.Draw, o.Seed, o.Under)
		if err != nil {
			return nil, err
		}
		faults = faults[:0]
		for i := range drawn {
			faults = append(faults, &drawn[i])
		}
	}
	var list []task
	for _, f := range faults {
		if match, err := path.Match(o.Only, f.ID()); err != nil {
			return nil, err
		} else if o.Only != "" && !match {
			continue
		}
		ask := detectors[f.Area]
		switch own := (Detector{Name: ownTests, Packages: []string{"./" + path.Dir(f.File)}, Args: []string{"-short"}}); {
		case o.Own:
			ask = []Detector{own}
		case f.Area == others && f.drawn:
			ask = append([]Detector{own}, ask...)
		}
		if len(ask) == 0 {
			return nil, fmt.Errorf("power: no detector for %s", f.ID())
		}
		list = append(list, task{f, ask, len(list)})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("power: no fault matches %q", o.Only)
	}
	return list, nil
}

// Run tries the faults and returns the results in the order of the lists.
func Run(ctx context.Context, o Options) ([]Result, error) {
	tasks, err := o.tasks()
	if err != nil {
		return nil, err
	}
	o.Root.Live = map[string]bool{"live": true}
	store, err := openStore(o.Results, o.Resume)
	if err != nil {
		return nil, err
	}
	defer store.close()

	results := make([]Result, len(tasks))
	tasks = store.take(tasks, results)
	try, end, err := o.trier(ctx, tasks)
	if err != nil {
		return nil, err
	}
	defer end()

	err = o.tryAll(ctx, tasks, try, func(t task, res Result) error {
		results[t.at] = res
		if o.Each != nil {
			o.Each(res)
		}
		return store.add(res)
	})
	for _, t := range tasks {
		if r := &results[t.at]; r.Outcome == "" {
			*r = Result{Area: t.fault.Area, Fault: t.fault.Name, Hash: t.fault.Hash(), Outcome: Untried}
		}
	}
	return results, err
}

// take fills in the results that the store has, and returns the tasks that are left.
func (s *store) take(tasks []task, results []Result) []task {
	var rest []task
	for _, t := range tasks {
		was, ok := s.known[t.fault.Hash()]
		if !ok {
			rest = append(rest, t)
			continue
		}
		was.Area, was.Fault = t.fault.Area, t.fault.Name
		results[t.at] = was
	}
	return rest
}

// tryAll calls done for one task at a time. It returns done's first error.
func (o *Options) tryAll(ctx context.Context, tasks []task, try func(task) Result, done func(task, Result) error) error {
	queue := make(chan task)
	var group sync.WaitGroup
	var mu sync.Mutex
	var failure error
	for range max(o.Workers, 1) {
		group.Go(func() {
			for t := range queue {
				res := try(t)
				mu.Lock()
				if err := done(t, res); err != nil && failure == nil {
					failure = err
				}
				mu.Unlock()
			}
		})
	}
	began := time.Now()
	for _, t := range tasks {
		if ctx.Err() != nil || o.Limit > 0 && time.Since(began) > o.Limit {
			break
		}
		queue <- t
	}
	close(queue)
	group.Wait()
	if failure == nil {
		failure = ctx.Err()
	}
	return failure
}

// trier returns what the options want done with a fault, and what is to be done at the end.
func (o *Options) trier(ctx context.Context, tasks []task) (func(task) Result, func(), error) {
	switch {
	case o.Fit:
		return func(t task) Result { return o.Root.Fit(t.fault) }, func() {}, nil
	case o.Compile:
		return func(t task) Result {
			res := o.Root.Check(ctx, t.fault)
			if res.Outcome == Survived {
				res.Outcome = Planted
			}
			return res
		}, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "power")
	if err != nil {
		return nil, nil, err
	}
	end := func() { os.RemoveAll(dir) }
	var faults []*Fault
	for _, t := range tasks {
		faults = append(faults, t.fault)
	}
	b, err := newBench(ctx, &o.Root, faults, dir)
	if err != nil {
		end()
		return nil, nil, err
	}
	if err := b.prepare(ctx, tasks, o.Workers); err != nil {
		end()
		return nil, nil, err
	}
	return func(t task) Result {
		_, shared := b.program.shared[t.fault.ID()]
		switch {
		case shared:
			res := b.try(ctx, t.fault, t.detectors)
			if res.Outcome == Survived && o.Seek.To > 0 {
				told, err := b.seek(ctx, t.fault, o.Seek)
				if err != nil {
					told = err.Error()
				}
				res.Note = strings.TrimSpace(res.Note + " " + told)
			}
			return res
		case t.fault.drawn:
			return Result{Area: t.fault.Area, Fault: t.fault.Name, Hash: t.fault.Hash(), Outcome: Planted, Note: "doesn't compile"}
		}
		return o.Root.Try(ctx, t.fault, t.detectors)
	}, end, nil
}
