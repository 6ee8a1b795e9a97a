package lto

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestPtxasOfTheRepository looks for a ptxas where "make witness-all" puts it,
// from a folder below the repository's root. A ptxas of another release isn't taken.
func TestPtxasOfTheRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "a", "b")
	tool := filepath.Join(root, ".witness", "9.9", "ptxas")
	for _, dir := range []string{below, filepath.Dir(tool)} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tool, []byte("#!/bin/sh\necho 'Cuda compilation tools, release 9.9, V9.9.1'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TWINLINK_WITNESS", "")
	t.Chdir(below)
	if p := (&Places{Release: "9.9"}); p.ptxas() != tool {
		t.Errorf("ptxas of 9.9 is %q, not %q", p.ptxas(), tool)
	}
	if p := (&Places{Release: "9.8"}); p.ptxas() != "" {
		t.Errorf("ptxas of 9.8 is %q, but there is none", p.ptxas())
	}
}
