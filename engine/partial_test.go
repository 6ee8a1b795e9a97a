package engine_test

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
)

// With -r nvlink 13.2 and later leave shared variables to a later link, in a way that isn't known: a link that only names
// one is refused too, where nvlink 13.5.37 keeps the record of "block".
func TestSharedOfAnother(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i := range cases {
		c := &cases[i]
		if c.Program != "cluster" || c.Release != "13.0" || !c.Complete() || len(c.Inputs) < 2 {
			continue
		}
		asked++
		in := []engine.Input{{Name: "b.cubin", Data: c.Inputs[1].Data}}
		for release, refused := range map[string]bool{"13.0": false, "13.2": true, "13.5": true} {
			_, err := engine.Link(in, engine.Options{Arch: c.Arch, Toolkit: release, Relocatable: true})
			var why *engine.LinkError
			if got := errors.As(err, &why); got != refused || err != nil && !got {
				t.Errorf("%s, %s: %v", c.ID(), release, err)
			}
		}
	}
	if asked == 0 {
		t.Error("no case")
	}
}
