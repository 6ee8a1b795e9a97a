package selfcheck_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

// TestExact makes objects of ptxas and nvlink wrong in one place each, by the edits in testdata/exact.tsv, and wants the
// finding that says so. TestPlantings is content with any that tells of a defect; here a check that is left out shows
// even where another one would see the same defect.
func TestExact(t *testing.T) {
	text, err := os.ReadFile("testdata/exact.tsv")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	capsules(t, func(c *corpus.Capsule, data []byte) { files[c.Name] = data })
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 || files[f[0]] == nil {
			t.Fatalf("%q has %d fields, want 6, or no object", line, len(f))
		}
		data := bytes.Clone(files[f[0]])
		if err := corpus.Edit(data, f[1]); err != nil {
			t.Errorf("%s: %v", f[0], err)
		}
		r := selfcheck.Check(f[0], data, selfcheck.Options{AllowUnknown: true})
		if !slices.ContainsFunc(r.Findings, func(g selfcheck.Finding) bool {
			return g.Kind.String() == f[2] && g.Aspect.String() == f[3] && g.Section == f[4] && strings.HasPrefix(g.Detail(), f[5])
		}) {
			t.Errorf("%s: %s: no finding %q among %d: %s", f[0], f[1], f[2:], len(r.Findings), first(r))
		}
	}
}
