package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// TestAlikeSides links an object of ptxas 13.3 for sm_100 that has its debug information twice, alike, as
// "nvlink -arch=sm_100 alike.cubin -o out.cubin" of 13.4.92 and 13.5.37 did: the latter writes it once.
func TestAlikeSides(t *testing.T) {
	data, err := os.ReadFile("testdata/alike.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string]string{
		"13.4": "bf6f9b817550147785bfd6db06b4dce48169c9fad5ed9369d38d819acd105374",
		"13.5": "34f31f8b7b613894443876f92a13103ef3a7b42264a794dc1a4a8924c09129a0",
	} {
		out, err := engine.Link([]engine.Input{{Name: "alike.cubin", Data: data}}, engine.Options{Arch: "sm_100", Toolkit: release,
			Record: engine.CommandLine{Text: "-arch sm_100 "}})
		if err != nil {
			t.Errorf("%s: %v", release, err)
		} else if sum := sha256.Sum256(out.Image); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s: another image", release)
		}
	}
}
