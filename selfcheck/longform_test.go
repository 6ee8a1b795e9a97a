package selfcheck_test

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

// An object in ELF's form for very many sections has the same verdict.
func TestLongForm(t *testing.T) {
	n, changed := 0, 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		if n++; n%5 != 0 {
			return
		}
		long := corpus.LongForm(data)
		want, got := selfcheck.Check(c.Name, data, selfcheck.Options{}), selfcheck.Check(c.Name, long, selfcheck.Options{})
		if changed++; got.Verdict != want.Verdict || got.Nodes != want.Nodes {
			t.Errorf("%s: %s, in the short form %s: %s", c.Name, got.Verdict, want.Verdict, first(got))
		}
	})
	if changed < 10 {
		t.Errorf("%d objects", changed)
	}
}
