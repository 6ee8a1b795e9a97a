package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What goes out comes back, and a file that isn't go's is refused.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	input := []byte{0, 0xff, '"', '\n', 'x'}
	if err := os.MkdirAll(filepath.Join(dir, "raw"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "raw", "a"), input, 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := convert(filepath.Join(dir, "raw"), filepath.Join(dir, "go"), false); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := convert(filepath.Join(dir, "go"), filepath.Join(dir, "again"), true); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "again", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	got, err := os.ReadFile(files[0])
	if err != nil || !bytes.Equal(got, input) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := convert(filepath.Join(dir, "raw"), filepath.Join(dir, "bad"), true); err == nil {
		t.Error("a file that isn't go's is taken")
	}
}
