package selfcheck_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

var updateFields = flag.Bool("fields", false, "write testdata/fields.tsv anew")

// TestEveryField changes each kind of number that the objects of the corpus have, in up to three of them, and wants what
// testdata/fields.tsv says of it: how many findings there are, 0 where nothing asks for it. A check that goes shows
// there, and so does one that comes:
//
//	go test ./selfcheck -run TestEveryField -fields
func TestEveryField(t *testing.T) {
	found := map[string][]int{}
	capsules(t, func(c *corpus.Capsule, data []byte) {
		seen := map[string]int{}
		for _, f := range corpus.Fields(data) {
			if seen[f.Kind]++; seen[f.Kind] > 1 || len(found[f.Kind]) >= 3 {
				continue
			}
			r := selfcheck.Check(c.Name, f.Change(data, len(found[f.Kind])), selfcheck.Options{AllowUnknown: true})
			found[f.Kind] = append(found[f.Kind], len(r.Findings)+r.More)
		}
	})
	var b strings.Builder
	b.WriteString("# Kinds of numbers in objects, and how many findings a change of one has (TestEveryField)\n")
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "%s\t%s\n", kind, strings.Trim(fmt.Sprint(found[kind]), "[]"))
	}
	const name = "testdata/fields.tsv"
	if *updateFields {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{}
	for line := range strings.Lines(string(want)) {
		kind, _, _ := strings.Cut(line, "\t")
		wanted[kind] = line
	}
	for line := range strings.Lines(b.String()) {
		kind, _, _ := strings.Cut(line, "\t")
		if wanted[kind] != line {
			t.Errorf("%q, listed %q", line, wanted[kind])
		}
		delete(wanted, kind)
	}
	for kind := range wanted {
		t.Errorf("no object has %s", kind)
	}
}
