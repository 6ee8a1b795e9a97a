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

// exactCheck is a line of testdata/exact.tsv: an object, an edit of it, and the finding that has to say so.
type exactCheck struct {
	object, edit string
	data         []byte
	want         []string // kind, aspect, section, beginning of the detail
}

func exactChecks(t *testing.T) (list []exactCheck) {
	t.Helper()
	text, err := os.ReadFile("testdata/exact.tsv")
	if err != nil {
		t.Fatal(err)
	}
	files := filesOfCapsules(t)
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 || files[f[0]] == nil {
			t.Fatalf("%q has %d fields, want 6, or no object", line, len(f))
		}
		c := exactCheck{f[0], f[1], bytes.Clone(files[f[0]]), f[2:]}
		if err := corpus.Edit(c.data, c.edit); err != nil {
			t.Errorf("%s: %v", f[0], err)
		}
		list = append(list, c)
	}
	return list
}

// check returns what is found, and whether the finding is among it.
func (c *exactCheck) check() (*selfcheck.Report, bool) {
	r := selfcheck.Check(c.object, c.data, selfcheck.Options{AllowUnknown: true})
	return r, slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool {
		return f.Kind.String() == c.want[0] && f.Aspect.String() == c.want[1] && f.Section == c.want[2] && strings.HasPrefix(f.Detail(), c.want[3])
	})
}

// TestExact makes objects of ptxas and nvlink wrong in one place each, by the edits in testdata/exact.tsv, and wants the
// finding that says so. TestPlantings is content with any that tells of a defect; here a check that is omitted shows
// even where another one would see the same defect.
func TestExact(t *testing.T) {
	for _, c := range exactChecks(t) {
		if r, found := c.check(); !found {
			t.Errorf("%s: %s: no finding %q among %d: %s", c.object, c.edit, c.want, len(r.Findings), first(r))
		}
	}
}
