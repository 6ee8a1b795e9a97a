package selfcheck_test

import (
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck/internal/defects"
)

// perKind is how often each kind is planted. go run ./selfcheck/plant does it more
// often, and in any cubins.
const perKind = 25

// Of semantic defects at least 99 in 100 are found and none of the rest passes, nor
// does anything that no tool writes. What lacks a section has code 18. There
// are at least 40 kinds.
func TestPlantings(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var files []*defects.File
	capsules(t, func(c *corpus.Capsule, data []byte) {
		if f, ok := defects.Open(c.Name, data); ok {
			files = append(files, f)
		}
	})
	if len(files) < 50 {
		t.Fatalf("%d files pass", len(files))
	}
	found, planted, kinds := 0, 0, 0
	for _, k := range defects.Kinds() {
		r := k.Measure(files, perKind, rng)
		t.Logf("%-45s %-9s %3d planted, %3d found, %3d incomplete, %d pass", r.Name, r.Class, r.Planted, r.Found, r.Incomplete, r.Passed)
		if r.Planted < 3 {
			t.Errorf("%s: planted %d times", r.Name, r.Planted)
		}
		if r.Class != defects.Source && r.Passed > 0 {
			t.Errorf("%s: passes in %v", r.Name, r.Missed)
		}
		for _, name := range r.OtherCode {
			t.Errorf("%s in %s: code isn't 18", r.Name, name)
		}
		if r.Class == defects.Semantic {
			found, planted, kinds = found+r.Found, planted+r.Planted, kinds+1
			if 100*r.Found < 80*r.Planted {
				t.Errorf("%s: %d of %d found", r.Name, r.Found, r.Planted)
			}
		}
	}
	if 100*found < 99*planted || kinds < 40 {
		t.Errorf("%d of %d found, %d kinds", found, planted, kinds)
	}
}
