package output

import (
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// Of several errors the one is told that nvlink comes to first, in whatever order they are found: the first pass before the
// second, a lower section, a later record, the first side.
func TestFirstFault(t *testing.T) {
	var order []place
	for _, late := range []bool{false, true} {
		for in := range model.SecID(2) {
			for _, at := range []int{1, 0} {
				for side := range 2 {
					order = append(order, place{late, in, at, side})
				}
			}
		}
	}
	for i := range order {
		for j := range order {
			for _, pair := range [][2]int{{i, j}, {j, i}} {
				var f Faults
				for _, k := range pair {
					p := order[k]
					f.Add(p.late, p.in, p.at, p.side, fmt.Errorf("%d", k))
				}
				if got := f.Err().Error(); got != fmt.Sprint(min(i, j)) {
					t.Errorf("of %v and %v in the order %v: %s", order[i], order[j], pair, got)
				}
			}
		}
		if order[i].before(order[i]) {
			t.Errorf("%v is before itself", order[i])
		}
	}
	if !slices.IsSortedFunc(order, func(p, q place) int {
		if p.before(q) {
			return -1
		}
		return 1
	}) {
		t.Error("not in order")
	}
	if (&Faults{}).Err() != nil {
		t.Error("an error of none")
	}
}
