package check

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

var updateFields = flag.Bool("fields", false, "write testdata/fields.tsv anew")

// TestEveryField changes each kind of number that links of nvlink have, in up to four of them, and wants what
// testdata/fields.tsv says of it: how many findings there are, 0 where nothing asks for it, - where the file is refused. A
// check that goes shows there, and so does one that comes:
//
//	go test ./oracle/check -run TestEveryField -fields
func TestEveryField(t *testing.T) {
	found := map[string][]string{}
	for _, c := range slices.Concat(mercuryCases(t), linkedCases(t)) {
		inputs, options := inputsOf(c), optionsOf(c)
		seen := map[string]bool{}
		for _, f := range corpus.Fields(c.Output) {
			if seen[f.Kind] || len(found[f.Kind]) == 4 {
				continue
			}
			seen[f.Kind] = true
			v := Check(inputs, f.Change(c.Output, len(found[f.Kind])+len(f.Kind)), options)
			n := fmt.Sprint(v.Total)
			if v.Refusal != nil {
				n = "-"
			}
			found[f.Kind] = append(found[f.Kind], n)
		}
	}
	var b strings.Builder
	b.WriteString("# Kinds of numbers in links, and how many findings a change of one has (TestEveryField)\n")
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "%s\t%s\n", kind, strings.Join(found[kind], " "))
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
	}
}
