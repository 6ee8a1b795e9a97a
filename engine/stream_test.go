package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/biglink"
)

// What is written piece by piece is what Link returns.
func TestLinkTo(t *testing.T) {
	list, err := biglink.Modules(40)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []engine.Input
	for i, data := range list {
		inputs = append(inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", i), Data: data})
	}
	for _, opt := range []engine.Options{
		{Arch: "sm_80"},
		{Arch: "sm_80", PreserveRelocs: true},
		{Arch: "sm_80", Toolkit: "13.0", Relocatable: true},
	} {
		out, err := engine.Link(inputs, opt)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := engine.LinkTo(f, inputs, opt)
		if err != nil || streamed.Image != nil {
			t.Fatalf("%v, or an image", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(f.Name())
		if err != nil || !bytes.Equal(got, out.Image) {
			t.Errorf("%+v: %d bytes, want the %d of Link", opt, len(got), len(out.Image))
		}
	}
}
