package engine_test

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/biglink"
)

// A link is the same with whatever memory for tables it gets, too little as well.
func TestScratch(t *testing.T) {
	modules, err := biglink.Modules(3)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []engine.Input
	for _, data := range modules {
		inputs = append(inputs, engine.Input{Name: "module", Data: data})
	}
	want, err := engine.Link(inputs, engine.Options{Arch: "sm_80"})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 1000, 20000, 100000, 1 << 22} {
		scratch := make([]byte, size)
		got, err := engine.Link(inputs, engine.Options{Arch: "sm_80", Scratch: scratch})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Image, want.Image) {
			t.Errorf("another image with %d bytes", size)
		}
		if size >= 20000 && bytes.Equal(scratch, make([]byte, size)) {
			t.Errorf("none of %d bytes is used", size)
		}
	}
}
