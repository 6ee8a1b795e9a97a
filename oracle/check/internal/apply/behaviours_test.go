package apply

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// TestBehaviours is TestRecorded for small programs that each show one thing that nvlink does: images, yields, debug
// information, options.
func TestBehaviours(t *testing.T) {
	var n counts
	for _, l := range oracletest.Behaviours(t) {
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
