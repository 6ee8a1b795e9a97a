package engine_test

import (
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// nvlink 13.4 and later make a store and fences of a copy of a tensor map that is released to the
// system, in code of older toolkits too. Here it stays, with a warning. A copy that is released to
// the device is one word in all releases.
func TestMapCopies(t *testing.T) {
	data, err := os.ReadFile("testdata/mapcopies.cubin") // of mapcopies.ptx, by ptxas 13.0.88
	if err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string][]string{"13.1": nil, "13.3": nil, "13.4": {"system"}, "13.5": {"system"}} {
		out, err := engine.Link([]engine.Input{{Name: "mapcopies.cubin", Data: data}}, engine.Options{Arch: "sm_100", Toolkit: release})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range out.Diags {
			got = append(got, d.Symbol)
			if d.Kind != engine.Rescheduled {
				t.Errorf("%s: %+v", release, d)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: warned of %q, want %q", release, got, want)
		}
	}
}
