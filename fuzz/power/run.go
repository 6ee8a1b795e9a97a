package power

import (
	"context"
	"fmt"
	"io"
	"path"
	"sync"
)

// Options say what Run does.
type Options struct {
	Root    Root
	Only    string // pattern of path.Match for "AREA/FAULT"; "" for all
	Fit     bool   // only see that every text is in its file once
	Compile bool   // only plant and compile
	Workers int    // how many at once, at least 1
	Live    bool   // ask the live detectors as well
	Fuzz    bool   // ask the fuzz targets as well
	Each    func(Result)
}

// Run tries the faults of all areas and returns the results in the order of the lists.
func Run(ctx context.Context, o Options) ([]Result, error) {
	areas, err := Areas()
	if err != nil {
		return nil, err
	}
	type task struct {
		fault     *Fault
		detectors []Detector
		at        int
	}
	var tasks []task
	for i := range areas {
		a := &areas[i]
		var detectors []Detector
		for _, d := range a.Detectors {
			if (d.Name != "live" || o.Live) && (d.Name != "fuzz" || o.Fuzz) {
				detectors = append(detectors, d)
			}
		}
		for j := range a.Faults {
			f := &a.Faults[j]
			if match, err := path.Match(o.Only, f.ID()); err != nil {
				return nil, err
			} else if o.Only != "" && !match {
				continue
			}
			tasks = append(tasks, task{f, detectors, len(tasks)})
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("power: no fault matches %q", o.Only)
	}
	o.Root.Live = map[string]bool{"live": true}
	results := make([]Result, len(tasks))
	queue := make(chan task)
	var group sync.WaitGroup
	var mu sync.Mutex
	for range max(o.Workers, 1) {
		group.Go(func() {
			for t := range queue {
				var res Result
				if o.Fit {
					res = o.Root.Fit(t.fault)
				} else if o.Compile {
					if res = o.Root.Check(ctx, t.fault); res.Outcome == Survived {
						res.Outcome = Planted
					}
				} else {
					res = o.Root.Try(ctx, t.fault, t.detectors)
				}
				results[t.at] = res
				if o.Each != nil {
					mu.Lock()
					o.Each(res)
					mu.Unlock()
				}
			}
		})
	}
	for _, t := range tasks {
		queue <- t
	}
	close(queue)
	group.Wait()
	return results, ctx.Err()
}

// Sums prints a line for each area, and how many faults each detector found.
func Sums(w io.Writer, results []Result) {
	type sum struct{ all, killed, equivalent, planted int }
	sums, by := map[string]*sum{}, map[string]map[string]int{}
	var order []string
	total := sum{}
	for _, r := range results {
		s := sums[r.Area]
		if s == nil {
			s = &sum{}
			sums[r.Area], by[r.Area] = s, map[string]int{}
			order = append(order, r.Area)
		}
		s.all++
		total.all++
		switch r.Outcome {
		case Killed:
			s.killed++
			total.killed++
			by[r.Area][r.Detector]++
		case Equivalent:
			s.equivalent++
			total.equivalent++
		case Planted:
			s.planted++
			total.planted++
		}
	}
	for _, area := range order {
		s := sums[area]
		fmt.Fprintf(w, "%-12s %3d faults  %3d killed %v  %d equivalent  %d only planted\n", area, s.all, s.killed, by[area], s.equivalent, s.planted)
	}
	fmt.Fprintf(w, "%-12s %3d faults  %3d killed  %d equivalent  %d only planted  %d to be mended\n", "all", total.all, total.killed, total.equivalent, total.planted,
		total.all-total.killed-total.equivalent-total.planted)
}
