package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// TestConstantSize links code that asks whether an address is a global one, which reads how long
// the constants of all inputs are. ptxas compiled a.ptx and b.ptx, and nvlink of the same
// release linked them, or a.cubin alone, in each folder's name: 11.8.89, 12.4.131, 13.0.88
// and 13.5.37.
func TestConstantSize(t *testing.T) {
	dir := filepath.Join("testdata", "constant_size")
	outs, err := filepath.Glob(filepath.Join(dir, "*", "out.cubin"))
	if err != nil || len(outs) < 13 {
		t.Fatal(len(outs), err)
	}
	for _, out := range outs {
		name := filepath.Base(filepath.Dir(out))
		parts := strings.Split(name, "-")
		var in []engine.Input
		for _, file := range []string{"a.cubin", "b.cubin"} {
			if file == "b.cubin" && strings.HasSuffix(name, "-none") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, parts[0]+"-"+parts[1], file))
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, engine.Input{Name: file, Data: data})
		}
		want, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		text := "-arch " + parts[1] + " "
		if len(parts) > 2 && parts[2] == "r" {
			text += "-r  "
		}
		opt := engine.Options{Arch: parts[1], Toolkit: parts[0], Relocatable: strings.HasSuffix(text, "-r  "), Record: engine.CommandLine{Text: text}}
		got, err := engine.Link(in, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got.Image, want) {
			t.Errorf("%s: another image than nvlink's", name)
		}
	}
}
