package cufilt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t testing.TB, file string, least int) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for line := range strings.Lines(string(text)) {
		if line[0] != '#' {
			list = append(list, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	if len(list) < least {
		t.Fatalf("%d names", len(list))
	}
	return list
}

// Every name as nvlink shows it.
func TestNames(t *testing.T) {
	for _, n := range names(t, "names.tsv", 4000) {
		for major, want := range map[int]string{13: n[1], 11: n[len(n)-1]} {
			if got := Demangle(n[0], major); got != want {
				t.Errorf("%s:\n%s\nnvlink of %d:\n%s", n[0], got, major, want)
			}
		}
	}
	for _, n := range names(t, "made.tsv", 700) {
		for major, want := range map[int]string{13: n[1], 12: n[min(2, len(n)-1)], 11: n[len(n)-1]} {
			if got := Demangle(n[0], major); got != want {
				t.Errorf("%s:\n%s\nnvlink of %d:\n%s", n[0], got, major, want)
			}
		}
	}
}

// Broken names are shown as they are, or as something short, and none takes long.
func TestHostileNames(t *testing.T) {
	for _, n := range append(names(t, "names.tsv", 500)[:500], names(t, "made.tsv", 700)[:100]...) {
		for i := range n[0] {
			Demangle(n[0][:i], 13)
			Demangle(n[0][:i]+"S_"+n[0][i:], 13)
		}
	}
	// Each substitution doubles the one before.
	bomb := "_Z1fM1A1B"
	for i := range 60 {
		bomb += "M" + strings.Repeat("S"+sequence(i)+"_", 2)
	}
	for _, name := range []string{bomb, "_Z1f" + strings.Repeat("P", 1<<15) + "i", "_Z" + strings.Repeat("N1a", 1<<14), "_Z1fI" + strings.Repeat("J", 1<<15), "_Z99999999999999999999f", "_Z1fS99999999999_"} {
		if got := Demangle(name, 13); len(got) > maxText+len(name) {
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
	for _, n := range names(f, "names.tsv", 4000) {
		f.Add(n[0])
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := Demangle(name, 13); len(got) > maxText+len(name) {
			t.Errorf("%d bytes of %d", len(got), len(name))
		}
	})
}
