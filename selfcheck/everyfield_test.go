package selfcheck_test

import (
	"flag"
	"fmt"
	"hash/crc32"
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
// there, and so does one that comes. testdata/says.tsv has a sum of what the findings say, but for the words: where each is,
// what was expected and what was found.
//
//	go test ./selfcheck -run TestEveryField -fields
func TestEveryField(t *testing.T) {
	found, said := map[string][]int{}, map[string][]string{}
	capsules(t, func(c *corpus.Capsule, data []byte) {
		seen := map[string]int{}
		for _, f := range corpus.Fields(data) {
			if seen[f.Kind]++; seen[f.Kind] > 1 || len(found[f.Kind]) >= 3 {
				continue
			}
			r := selfcheck.Check(c.Name, f.Change(data, len(found[f.Kind])), selfcheck.Options{AllowUnknown: true})
			found[f.Kind] = append(found[f.Kind], len(r.Findings)+r.More)
			said[f.Kind] = append(said[f.Kind], sumOf(r.Findings))
		}
	})
	var counts, says strings.Builder
	counts.WriteString("# Kinds of numbers in objects, and how many findings a change of one has (TestEveryField)\n")
	says.WriteString("# Kinds of numbers in objects, and a sum of what the findings on a change say (TestEveryField)\n")
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&counts, "%s\t%s\n", kind, strings.Trim(fmt.Sprint(found[kind]), "[]"))
		fmt.Fprintf(&says, "%s\t%s\n", kind, strings.Join(said[kind], " "))
	}
	holds(t, "testdata/fields.tsv", counts.String())
	holds(t, "testdata/says.tsv", says.String())
}

// sumOf is a sum of what findings say, but for the words.
func sumOf(list []selfcheck.Finding) string {
	h := crc32.NewIEEE()
	for _, f := range list {
		fmt.Fprintf(h, "%d %s %s %s %#x %q %q\n", f.Code, f.Kind, f.Aspect, f.Section, f.Offset, f.Expected, f.Found)
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// holds wants each line of a list to be as its file has it.
func holds(t *testing.T, name, got string) {
	t.Helper()
	if *updateFields {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
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
	for line := range strings.Lines(got) {
		kind, _, _ := strings.Cut(line, "\t")
		if wanted[kind] != line {
			t.Errorf("%s: %q, listed %q", name, line, wanted[kind])
		}
		delete(wanted, kind)
	}
	for kind := range wanted {
		t.Errorf("%s: no object has %s", name, kind)
	}
}
