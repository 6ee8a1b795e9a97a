package apply

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// TestBehaviours is TestRecorded for small programs that each show one thing that nvlink does: images, yields, debug
// information, options. Two of them aren't what apply wants: 13.0's -r gives a shared variable an offset, and 13.5 makes
// other instructions of code of an older toolkit for sm_120, which package code judges.
func TestBehaviours(t *testing.T) {
	var n counts
	for _, l := range oracletest.Behaviours(t) {
		if l.Name == "guard_waits/13.0-sm_100-r-g" || l.Name == "loops_complete/13.5-sm_120" {
			continue
		}
		var first *Applied
		for _, side := range []image.Side{image.SassSide, image.MercurySide} {
			c := applied(t, &l, l.Output, side, first)
			n.compare(t, c, fmt.Sprintf("%s, side %d", l.Name, side))
			if first = c; c.Out.Side != image.SassSide {
				break
			}
		}
	}
	if n.sections < 1000 || n.fields < 500 || n.kept < 1000 || n.resolved < 40 {
		t.Errorf("only %+v", n)
	}
}
