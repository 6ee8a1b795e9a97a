package link

import (
	"testing"

	"github.com/twinlink/twinlink/corpus/links"
	"github.com/twinlink/twinlink/corpus/mercury"
)

// mercuryCases are the corpus's links for sm_100 and up.
func mercuryCases(t testing.TB) []links.Case {
	t.Helper()
	programs, err := mercury.Programs()
	if err != nil {
		t.Fatal(err)
	}
	var list []links.Case
	for _, p := range programs {
		for _, c := range p.Cases {
			if c.Linked() && c.Output != nil && c.Complete() {
				list = append(list, c)
			}
		}
	}
	if len(list) < 12 {
		t.Fatalf("only %d links in the corpus", len(list))
	}
	return list
}

// Every output is nvlink 13.0.88's.
func TestAcceptsMercury(t *testing.T) {
	remarks := 0
	for _, c := range mercuryCases(t) {
		v := Check(inputsOf(c), c.Output, optionsOf(c))
		if !v.Agrees() {
			t.Errorf("%s %v:\n%s", c.ID(), c.Args, v)
		}
		remarks += len(v.Remarks)
	}
	t.Logf("%d remarks", remarks)
}
