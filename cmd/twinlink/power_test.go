package main

import (
	"testing"
	"time"

	"github.com/twinlink/twinlink/fuzz/power"
)

// A portion of the power table may leave faults untried, where it was asked for one; one that lives or doesn't compile it
// may not have, and none tried is no result.
func TestPowerStatus(t *testing.T) {
	limited, drawn := power.Options{Limit: time.Second}, power.Options{Draw: 3}
	for _, c := range []struct {
		outcomes []power.Outcome
		options  power.Options
		right    bool
	}{
		{[]power.Outcome{power.Killed, power.Equivalent, power.Planted}, power.Options{}, true},
		{[]power.Outcome{power.Killed, power.Untried}, power.Options{}, false},
		{[]power.Outcome{power.Killed, power.Untried}, limited, true},
		{[]power.Outcome{power.Survived, power.Untried}, limited, false},
		{[]power.Outcome{power.Killed, power.Stale}, limited, false},
		{[]power.Outcome{power.Killed, power.Broken}, limited, false},
		{[]power.Outcome{power.Untried}, limited, false},
		{nil, limited, false},
		{[]power.Outcome{power.Killed, power.Survived}, drawn, true},
		{[]power.Outcome{power.Survived}, power.Options{}, false},
	} {
		var results []power.Result
		for _, o := range c.outcomes {
			results = append(results, power.Result{Outcome: o})
		}
		if err := powerStatus(results, c.options); (err == nil) != c.right {
			t.Errorf("%v: %v", c.outcomes, err)
		}
	}
}
