package engine_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// nvlink 13.5.37 reads the local variables of an object before its weak ones, whose symbols
// are first in objects up to 13.3: .nv.global comes before .nv.shared.reserved.0.
func TestLocalsFirst(t *testing.T) {
	data, err := os.ReadFile("testdata/locals.cubin") // of ptxas 13.3.73
	if err != nil {
		t.Fatal(err)
	}
	for release, nvlink := range map[string]string{
		"13.4": "04c46ffef07fdc26e775deed4778ab91ddcfc1b889f8c993e553fe65765e86f0",
		"13.5": "9cc4e4e000de67dc66a42d8e611a9b23bac6397feeff10557f50fbe533067142",
	} {
		out, err := engine.Link([]engine.Input{{Name: "locals.cubin", Data: data}}, engine.Options{Arch: "sm_110", Toolkit: release, Record: engine.CommandLine{Text: "-arch sm_110 "}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(out.Image)); got != nvlink {
			t.Errorf("%s: the file's sum is %s", release, got)
		}
	}
}
