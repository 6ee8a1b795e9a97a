package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// partial links an object with -r for sm_100.
func partial(name string, data []byte, release string) (*engine.Output, error) {
	return engine.Link([]engine.Input{{Name: name, Data: data}}, engine.Options{Arch: "sm_100", Toolkit: release, Relocatable: true,
		Record: engine.CommandLine{Text: "-arch sm_100 -r  "}})
}

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
		out, err := partial("unified.cubin", data, release)
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

// TestUnifiedTwice links what nvlink 13.3.73 and 13.4.92 made of that object with -r, with -r again. nvlink
// 13.5.37 links it too, in a way that isn't known; that isn't its own refusal of older objects.
func TestUnifiedTwice(t *testing.T) {
	data, err := os.ReadFile("testdata/unified.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string]string{
		"13.3": "ae6df3af0f2ca041f9e7afa782485e5cf4aec987ceac17fe60a3641cc1bdbc61",
		"13.4": "1a36bd3d31f8b52df7decdf5d18742cf0be5f2f30c3a7e0d7d7a0dd94a50993e",
	} {
		first, err := partial("unified.cubin", data, release)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := partial("part.cubin", first.Image, release); err != nil {
			t.Errorf("%s: %v", release, err)
		} else if sum := sha256.Sum256(out.Image); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s: another image", release)
		}
		var refused *engine.LinkError
		if _, err := partial("part.cubin", first.Image, "13.5"); !errors.As(err, &refused) || len(refused.Diags) == 0 ||
			!strings.HasPrefix(refused.Diags[len(refused.Diags)-1].Text, "how nvlink 13.5 links unified functions and data a second time") {
			t.Errorf("%s by 13.5: %v", release, err)
		}
	}
}
