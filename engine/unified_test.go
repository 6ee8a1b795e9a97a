package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// TestUnifiedPadded links an object of ptxas 13.3 with -r, as "nvlink -arch=sm_100 -r
// unified.cubin -o out.cubin" of 13.3.73 and 13.4.92 did: they pad its unified function.
// nvlink 13.5.37 refuses it.
func TestUnifiedPadded(t *testing.T) {
	data, err := os.ReadFile("testdata/unified.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string]string{
		"13.3": "766461aeee8ebe19986fb23078b6f84a798d2c10b14121938401ceaf28ea2d36",
		"13.4": "385b981f0fa10366a4bc3fefd127e05dcbd18fa6579a0a4a69a8caf2392ef5d5",
		"13.5": "",
	} {
		out, err := engine.Link([]engine.Input{{Name: "unified.cubin", Data: data}}, engine.Options{Arch: "sm_100", Toolkit: release, Relocatable: true,
			Record: engine.CommandLine{Text: "-arch sm_100 -r  "}})
		if want != "" {
			if err != nil {
				t.Errorf("%s: %v", release, err)
			} else if sum := sha256.Sum256(out.Image); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s: another image", release)
			}
			continue
		}
		var refused *engine.LinkError
		if !errors.As(err, &refused) || len(refused.Diags) != 3 || refused.Diags[0].Kind != engine.Displaced || refused.Diags[1].String() != "nvlink error   : Finalization failed: 'unsupported elf type'" {
			t.Errorf("%s: %v", release, err)
		}
	}
}
