package engine_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// ptxas 12.8.93 puts a NOP after each WARPSYNC. nvlink takes it out, in releases too that
// put one before BSYNC.
func TestSyncsOf128(t *testing.T) {
	data, err := os.ReadFile("testdata/syncs.cubin") // of syncs.ptx
	if err != nil {
		t.Fatal(err)
	}
	for release, nvlink := range map[string]string{
		"13.1": "5f1af5589cc05d6cc9dd4033bf32e98bb01f8b4b96da73cbf9567d06831b22b4",
		"13.2": "8e8c568839864dd9cda82a0eeeda2138d3ad7d864a8eea2c0667510b6861df83",
		"13.3": "138fd8db42a5a5a939b408ae96bb0dca3f0b0b095965f2fd5830a920866a4a4d",
		"13.4": "545dfc1e1e8458e79c9f6ce136b797fefd1b9ca5cef93b34eb0de752469f2391",
		"13.5": "86025e7578de8f13f6bb85206b59a1bd0e67b44204133d0e6310ab21e3c038c4",
	} {
		out, err := engine.Link([]engine.Input{{Name: "syncs.cubin", Data: data}}, engine.Options{Arch: "sm_100", Toolkit: release, Record: engine.CommandLine{Text: "-arch sm_100 "}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(out.Image)); got != nvlink {
			t.Errorf("%s: the file's sum is %s", release, got)
		}
	}
}
