package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
	if n, _, err := convert(filepath.Join(dir, "raw"), filepath.Join(dir, "go"), false); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n, _, err := convert(filepath.Join(dir, "go"), filepath.Join(dir, "again"), true); n != 1 || err != nil {
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
	if _, _, err := convert(filepath.Join(dir, "raw"), filepath.Join(dir, "bad"), true); err == nil {
		t.Error("a file that isn't go's is taken")
	}
}

// An input that is a string is written like bytes; one of numbers is counted and omitted.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"s": "string(\"a(b)\\n\")", "b": "[]byte(\"c\")", "n": "uint32(7)", "two": "uint32(7)\nbyte('x')"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("go test fuzz v1\n"+text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw := filepath.Join(t.TempDir(), "raw")
	n, others, err := convert(dir, raw, true)
	if n != 2 || others != 2 || err != nil {
		t.Fatal(n, others, err)
	}
	files, _ := filepath.Glob(filepath.Join(raw, "*"))
	var got []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"a(b)\n", "c"}) {
		t.Errorf("%q", got)
	}
}
