package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/internal/vectorlink"
)

// Vectors wants of the engine what nvlink did of records of all types. Asked are the vectors whose names have one of
// some texts, all of them for none, and of those one of every so many.
func Vectors(t *testing.T, every int, names ...string) {
	t.Helper()
	open, err := os.ReadFile(filepath.Join("..", "..", "..", "internal", "verify", "testdata", "open.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(open)) {
		id, _, _ := strings.Cut(line, "\t")
		known[id] = true
	}
	n, asked := 0, 0
	for v := range relocs.Vectors() {
		if known[v.ID] || !hasOne(v.ID, names) {
			continue
		}
		if n++; n%every != 0 {
			continue
		}
		inputs, err := v.Inputs()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range v.Releases() {
			asked++
			if err := v.Compare(r, inputs, vectorlink.Link(v, r, inputs)); err != nil {
				t.Error(err)
			}
		}
	}
	if asked < 300 {
		t.Errorf("only %d links", asked)
	}
}

func hasOne(s string, list []string) bool {
	for _, part := range list {
		if strings.Contains(s, part) {
			return true
		}
	}
	return len(list) == 0
}
