package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/oracle/check"
)

// Stripped links are right as they were: the numbers of one side's symbols are others, and
// with debug information goes what was written down of it.
func TestStripped(t *testing.T) {
	tools := nvidiatest.Need(t, "13.5", nvidia.Nvlink, nvidia.Ptxas)
	for _, release := range []string{"11.8", "12.4", "13.0"} {
		nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
	}
	m := &maker{tools, t.TempDir(), "sm_1"}
	for seed := uint64(9310000); seed < 9310016; seed++ {
		if err := m.make(context.Background(), seed); err != nil && err != errRefused {
			t.Fatal(err)
		}
	}
	m.only = ""
	for seed := uint64(9320024); seed < 9320032; seed++ {
		if err := m.make(context.Background(), seed); err != nil && err != errRefused {
			t.Fatal(err)
		}
	}
	list, err := filepath.Glob(filepath.Join(m.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, folder := range list {
		l, inputs, output, err := load(folder)
		if err != nil {
			t.Fatal(err)
		}
		if l.options().Relocatable || !check.Check(inputs, output, l.options()).Agrees() {
			continue
		}
		image, err := strip(output)
		if err != nil {
			t.Fatal(err)
		}
		judged++
		if v := check.Check(inputs, image, l.options()); !v.Agrees() {
			t.Errorf("%s %s %v:\n%s", l.Name, l.Arch, l.Args, v)
		}
	}
	if judged < 12 {
		t.Errorf("%d judged", judged)
	}
}
