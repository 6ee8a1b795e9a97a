package engine_test

import (
	"errors"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// TestOffTarget: nvlink 13.0.88 makes other code for sm_103 of a kernel for
// sm_100 that adds doubles. This linker can't, and must not write the old code.
func TestOffTarget(t *testing.T) {
	data, err := os.ReadFile("testdata/offtarget.cubin")
	if err != nil {
		t.Fatal(err)
	}
	in := []engine.Input{{Name: "offtarget.cubin", Data: data}}
	_, err = engine.Link(in, engine.Options{Arch: "sm_103"})
	var refused *engine.LinkError
	if !errors.As(err, &refused) || refused.Image != nil {
		t.Fatalf("linked: %v", err)
	}
	d := refused.Diags[len(refused.Diags)-1]
	if d.Kind != engine.Unsupported || d.Symbol != "k" || d.Section != ".text.k" || d.Offset != 0x40 {
		t.Errorf("refused with %+v", d)
	}
	for _, arch := range []string{"sm_100", "sm_100f"} {
		if _, err := engine.Link(in, engine.Options{Arch: arch}); err != nil {
			t.Errorf("%s: %v", arch, err)
		}
	}
}
