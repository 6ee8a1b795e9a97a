package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// Where no tool is installed, nothing is drawn from the releases that there are.
func TestNoTools(t *testing.T) {
	t.Setenv("TWINLINK_WITNESS", t.TempDir())
	t.Setenv("TWINLINK_CUDA", "")
	t.Setenv("PATH", "")
	wide = true
	defer func() { wide = false }()
	if tools, err := nvidia.Find(t.Context(), nvidia.Options{}); err != nil || len((&maker{tools: tools}).linkers()) > 0 {
		t.Skip("a toolkit is where every program finds it")
	}
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "a.ptx"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := makeAll(t.Context(), t.TempDir(), "", 1, 1, 1); err == nil {
		t.Error("make")
	}
	if err := cppAll(t.Context(), t.TempDir(), 1, 1); err == nil {
		t.Error("cpp")
	}
	if err := realAll(t.Context(), t.TempDir(), filepath.Dir(from), 1, 1); err == nil {
		t.Error("real")
	}
}
