package engine_test

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
)

// Inputs in ELF's form for very many sections link to the same image.
func TestLongForm(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	both, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	linked := 0
	for n, c := range append(corpus.CasesOf(both), cases...) {
		if n%5 != 0 || !c.Complete() {
			continue
		}
		var short, long []engine.Input
		for _, in := range c.Inputs {
			short = append(short, engine.Input{Name: in.Name, Data: in.Data})
			long = append(long, engine.Input{Name: in.Name, Data: corpus.LongForm(in.Data)})
		}
		options := engine.Options{Arch: c.Arch, Toolkit: c.Release}
		want, refused := engine.Link(short, options)
		got, err := engine.Link(long, options)
		switch {
		case (err == nil) != (refused == nil):
			t.Errorf("%s: %v, in the short form %v", c.ID(), err, refused)
		case err == nil:
			if linked++; !bytes.Equal(got.Image, want.Image) {
				t.Errorf("%s: another image", c.ID())
			}
		}
	}
	if linked < 30 {
		t.Errorf("%d links", linked)
	}
}
