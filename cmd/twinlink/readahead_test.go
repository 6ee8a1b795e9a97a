package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What readAhead reads is what stands in the files, and what isn't a file of a
// known size is left to read.
func TestReadAhead(t *testing.T) {
	dir := t.TempDir()
	var names []string
	want := make(map[string][]byte)
	for i, size := range []int{3 << 20, 0, 1, 2<<20 + 7} {
		name := filepath.Join(dir, string(rune('a'+i)))
		data := bytes.Repeat([]byte{byte(i + 1), 0x55, byte(size)}, size/3+1)[:size]
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name, name)
		want[name] = data
	}
	l := &linker{files: make(map[string][]byte)}
	l.readAhead(append(names, filepath.Join(dir, "missing"), dir, os.DevNull))
	if len(l.files) != len(want) {
		t.Errorf("%d files are read, want %d", len(l.files), len(want))
	}
	for name, data := range want {
		if got, ok := l.files[name]; !ok || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, want %d, or other ones", filepath.Base(name), len(got), len(data))
		}
	}
}

// A file that is shorter or longer than Stat said isn't taken for whole.
func TestReadWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]bool{0: false, 4: false, 5: true, 6: false} {
		if got := readWhole(name, make([]byte, size)); got != want {
			t.Errorf("5 bytes into room for %d: %v, want %v", size, got, want)
		}
	}
}
