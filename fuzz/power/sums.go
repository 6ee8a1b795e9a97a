package power

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// sum counts what became of faults.
type sum struct {
	all, killed, equivalent, planted, untried int
	by                                        map[string]int // detector
	slowest                                   time.Duration
}

func (s *sum) count(r *Result) {
	s.all++
	switch r.Outcome {
	case Killed:
		s.killed++
		if s.by == nil {
			s.by = map[string]int{}
		}
		s.by[r.Detector]++
		s.slowest = max(s.slowest, r.Time)
	case Equivalent:
		s.equivalent++
	case Planted:
		s.planted++
	case Untried:
		s.untried++
	}
}

// String names what there is of, and always how many were not found where any was tried.
func (s *sum) String() string {
	var parts []string
	if s.killed > 0 {
		var by []string
		for _, detector := range slices.Sorted(maps.Keys(s.by)) {
			by = append(by, fmt.Sprintf("%s %d", detector, s.by[detector]))
		}
		parts = append(parts, fmt.Sprintf("%d found (%s) within %v", s.killed, strings.Join(by, ", "), s.slowest.Round(time.Second)))
	}
	left := s.all - s.killed - s.equivalent - s.planted - s.untried
	if left > 0 || s.killed+s.equivalent > 0 {
		parts = append(parts, fmt.Sprintf("%d not found", left))
	}
	for _, other := range []struct {
		n    int
		name string
	}{{s.equivalent, "change nothing"}, {s.planted, "only planted"}, {s.untried, "untried"}} {
		if other.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.name))
		}
	}
	return strings.Join(parts, ", ")
}

// Sums prints a line for each area: how many faults each detector found, and how long the slowest took.
func Sums(w io.Writer, results []Result) {
	sums := map[string]*sum{}
	var order []string
	total := &sum{}
	for i := range results {
		r := &results[i]
		if sums[r.Area] == nil {
			sums[r.Area] = &sum{}
			order = append(order, r.Area)
		}
		sums[r.Area].count(r)
		total.count(r)
	}
	for _, area := range order {
		fmt.Fprintf(w, "%-16s %3d faults: %v\n", area, sums[area].all, sums[area])
	}
	fmt.Fprintf(w, "%-16s %3d faults: %v\n", "all", total.all, total)
}
