package engine_test

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// linkCase links what a recorded run of nvlink linked, with its arguments.
func linkCase(c corpus.Case) (*engine.Output, error) {
	cmd, err := cmdline.Parse(cmdline.Choose(130), c.Args, nil)
	if err != nil {
		return nil, err
	}
	var in []engine.Input
	for _, i := range c.Inputs {
		in = append(in, engine.Input{Name: i.Name, Data: i.Data})
	}
	opt := cmd.Options
	opt.Toolkit = c.Release
	return engine.Link(in, opt)
}

// TestMercury wants the bytes of nvlink 13.0.88 for links of sm_100 and up.
func TestMercury(t *testing.T) {
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range programs {
		for _, c := range p.Cases {
			if !c.Complete() {
				continue
			}
			n++
			t.Run(c.ID(), func(t *testing.T) {
				out, err := linkCase(c)
				switch {
				case c.Linked() != (err == nil):
					t.Fatalf("nvlink's exit status is %d, the engine says %v", c.Exit, err)
				case err == nil && !bytes.Equal(out.Image, c.Output):
					t.Errorf("%d bytes, nvlink's %d; first difference at %#x", len(out.Image), len(c.Output), firstDifference(out.Image, c.Output))
				}
			})
		}
	}
	if n == 0 {
		t.Error("no case")
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
