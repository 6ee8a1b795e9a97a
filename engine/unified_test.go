package engine_test

import (
	"errors"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// TestUnifiedRefused links an object of ptxas 13.3 whose unified function nvlink pads, and
// whose entries nvlink 13.5 links to other sections than the symbol table.
func TestUnifiedRefused(t *testing.T) {
	data, err := os.ReadFile("testdata/unified.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"13.3", "13.4", "13.5"} {
		out, err := engine.Link([]engine.Input{{Name: "unified.cubin", Data: data}}, engine.Options{Arch: "sm_100", Toolkit: release, Relocatable: true})
		var refused *engine.LinkError
		if !errors.As(err, &refused) || out != nil && out.Image != nil {
			t.Errorf("%s: linked: %v", release, err)
			continue
		}
		if d := refused.Diags[len(refused.Diags)-1]; d.Kind != engine.Unsupported {
			t.Errorf("%s: refused with %+v", release, d)
		}
	}
}
