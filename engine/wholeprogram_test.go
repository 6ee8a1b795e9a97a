package engine_test

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
)

// TestBesideWholeProgram links an object of -ewp beside an ordinary one: nvlink
// warns of the other's name, but of none that has libcudadevrt in it.
func TestBesideWholeProgram(t *testing.T) {
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range corpus.CasesOf(programs) {
		name := c.Name
		if c.Program != "nested_functions" || name != "13.0-sm_90" && name != "13.0-sm_90-cudadevrt" {
			continue
		}
		var in []engine.Input
		for _, f := range c.Inputs {
			in = append(in, engine.Input{Name: f.Name, Data: f.Data})
		}
		out, err := engine.Link(in, engine.Options{Arch: c.Arch, Toolkit: c.Release})
		if err != nil {
			t.Fatal(err)
		}
		found[name] = false
		for _, d := range out.Diags {
			found[name] = found[name] || d.Kind == engine.WrongToolkit
		}
		if want := strings.Contains(c.Stderr, "should only link with libcudadevrt"); found[name] != want {
			t.Errorf("%s: warning is %v, nvlink's %v", c.ID(), found[name], want)
		}
	}
	if !found["13.0-sm_90"] || len(found) != 2 {
		t.Error("a recorded case is missing")
	}
}
