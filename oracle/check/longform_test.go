package check

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// Inputs and outputs in ELF's form for very many sections are judged alike.
func TestLongForm(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for n, c := range cases {
		if n%9 != 0 || !c.Complete() || c.Output == nil {
			continue
		}
		var short, long []Input
		for _, in := range c.Inputs {
			short = append(short, Input{Name: in.Name, Data: in.Data})
			long = append(long, Input{Name: in.Name, Data: corpus.LongForm(in.Data)})
		}
		options := Options{Arch: c.Arch, Toolkit: c.Release}
		want := Check(short, c.Output, options)
		if got := Check(long, c.Output, options); got.Agrees() != want.Agrees() || got.Total != want.Total {
			t.Errorf("%s: %d findings, in the short form %d:\n%s", c.ID(), got.Total, want.Total, got.String())
		}
		judged++
	}
	if judged < 10 {
		t.Errorf("%d links", judged)
	}
}
