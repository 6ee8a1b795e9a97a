package engine_test

import (
	"errors"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// Symbols of shared variables of -ewp -g say where they lie, not how they are aligned, and nvlink 13.5.37 counts the
// variables and the section they are in: 100 bytes for 36. That is warned of, or refused by name where it can't be an
// alignment.
func TestWholeShared(t *testing.T) {
	link := func(name string) (*engine.Output, error) {
		data, err := os.ReadFile("testdata/" + name) // of the .ptx of that name, by ptxas 13.5.37 -ewp -g
		if err != nil {
			t.Fatal(err)
		}
		return engine.Link([]engine.Input{{Name: name, Data: data}}, engine.Options{Arch: "sm_100", Toolkit: "13.5"})
	}
	out, err := link("wholeshared.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Diags) != 1 || out.Diags[0].Kind != engine.Rescheduled || out.Diags[0].File != "wholeshared.cubin" {
		t.Errorf("said: %+v", out.Diags)
	}
	var refused *engine.LinkError
	if _, err := link("wholeplaced.cubin"); !errors.As(err, &refused) {
		t.Fatalf("a place that is no alignment: %v", err)
	}
	if last := refused.Diags[len(refused.Diags)-1]; last.Kind != engine.Unsupported || last.File != "wholeplaced.cubin" {
		t.Errorf("a place that is no alignment: %+v", last)
	}
}
