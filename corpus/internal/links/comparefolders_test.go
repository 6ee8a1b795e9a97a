package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

// TestCompareFolders wants every way in which a tree can differ to be reported, and to be gone after an update.
func TestCompareFolders(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, "p", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.ptx", "source")
	write("x/same.cubin", "same")
	write("x/other.cubin", "other")
	write("x/kept.cubin", "kept")
	write("y/stale.cubin", "stale")
	work := func(update bool) *work {
		return &work{
			regen:   &regen{root: root, update: update},
			program: &manifest.Program{Name: "p"},
			made: map[string][]byte{
				"x/same.cubin": []byte("same"), "x/other.cubin": []byte("otter"), "x/new.cubin": []byte("new"), "x/kept.cubin": nil,
			},
		}
	}
	want := []string{"p/x/new.cubin: not committed", "p/x/other.cubin: differs from offset 0x2 on", "p/y/stale.cubin: nothing makes it"}
	got, err := work(false).compareFolders()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("settle: %q, %v", got, err)
	}
	for range 2 {
		if got, err := work(true).compareFolders(); err != nil || len(got) > 0 {
			t.Errorf("update: %q, %v", got, err)
		}
	}
	if got, err := work(false).compareFolders(); err != nil || len(got) > 0 {
		t.Errorf("after update: %q, %v", got, err)
	}
}
