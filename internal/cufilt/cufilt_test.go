package cufilt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t testing.TB) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "names.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for line := range strings.Lines(string(text)) {
		if line[0] != '#' {
			list = append(list, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	if len(list) < 400 {
		t.Fatalf("%d names", len(list))
	}
	return list
}

// Every name as nvlink shows it.
func TestNames(t *testing.T) {
	for _, n := range names(t) {
		if got := Demangle(n[0], true); got != n[1] {
			t.Errorf("%s:\n%s\nnvlink 13.0:\n%s", n[0], got, n[1])
		}
		if got, want := Demangle(n[0], false), n[len(n)-1]; got != want {
			t.Errorf("%s:\n%s\nnvlink 11.8:\n%s", n[0], got, want)
		}
	}
}

// Broken names are shown as they are, or as something short, and none takes long.
func TestHostileNames(t *testing.T) {
	for _, n := range names(t)[:500] {
		for i := range n[0] {
			Demangle(n[0][:i], true)
			Demangle(n[0][:i]+"S_"+n[0][i:], true)
		}
	}
	// Each substitution doubles the one before.
	bomb := "_Z1fM1A1B"
	for i := range 60 {
		bomb += "M" + strings.Repeat("S"+sequence(i)+"_", 2)
	}
	for _, name := range []string{bomb, "_Z1f" + strings.Repeat("P", 1<<15) + "i", "_Z" + strings.Repeat("N1a", 1<<14), "_Z1fI" + strings.Repeat("J", 1<<15), "_Z99999999999999999999f", "_Z1fS99999999999_"} {
		if got := Demangle(name, true); len(got) > maxText+len(name) {
			t.Errorf("%.40s: %d bytes", name, len(got))
		}
	}
}

// sequence is the number of a substitution as it is written.
func sequence(i int) string {
	if i == 0 {
		return ""
	}
	return strings.ToUpper(string("0123456789abcdefghijklmnopqrstuvwxyz"[(i-1)%36]))
}

func FuzzDemangle(f *testing.F) {
	for _, n := range names(f) {
		f.Add(n[0])
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := Demangle(name, true); len(got) > maxText+len(name) {
			t.Errorf("%d bytes of %d", len(got), len(name))
		}
	})
}
