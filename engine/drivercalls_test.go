package engine_test

import (
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// Images of nvlink 13.5.37 in which functions call the driver for textures and surfaces vary from run to run where
// one calls another function first than the others, and where a kernel calls what a function calls that it reaches:
// of 30 runs of each of these links those without a warning were alike, of the others at most 19.
func TestDriverCallsVary(t *testing.T) {
	data, err := os.ReadFile("testdata/drivercalls.cubin") // of drivercalls.ptx, by ptxas 13.5.37
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernels []string
		want    []string
	}{
		{nil, []string{"writes"}},
		{[]string{"again"}, []string{"again"}},
		{[]string{"writes"}, nil},
		{[]string{"same"}, nil},
		{[]string{"same", "writes"}, []string{"writes"}},
	} {
		out, err := engine.Link([]engine.Input{{Name: "drivercalls.cubin", Data: data}}, engine.Options{Arch: "sm_107a", Toolkit: "13.5", KernelsUsed: c.kernels})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range out.Diags {
			if d.Kind == engine.Rescheduled {
				got = append(got, d.Symbol)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: warned of %q, want %q", c.kernels, got, c.want)
		}
	}
}
