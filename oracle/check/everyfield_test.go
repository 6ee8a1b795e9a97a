package check

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
)

var updateFields = flag.Bool("fields", false, "write testdata/fields.tsv anew")

// TestEveryField changes each kind of number that links of nvlink have, in up to four of them, and wants what
// testdata/fields.tsv says of it: how many findings there are, 0 where nothing asks for it, - where the file is refused. A
// check that goes shows there, and so does one that comes. testdata/says.tsv has a sum of what the findings say, but for the
// words: where each is, of which symbol, what was wanted and what is there.
//
//	go test ./oracle/check -run TestEveryField -fields
func TestEveryField(t *testing.T) {
	found, said := map[string][]string{}, map[string][]string{}
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
			said[f.Kind] = append(said[f.Kind], sumOf(v))
		}
	}
	var counts, says strings.Builder
	counts.WriteString("# Kinds of numbers in links, and how many findings a change of one has (TestEveryField)\n")
	says.WriteString("# Kinds of numbers in links, and a sum of what the verdict on a change says (TestEveryField)\n")
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&counts, "%s\t%s\n", kind, strings.Join(found[kind], " "))
		fmt.Fprintf(&says, "%s\t%s\n", kind, strings.Join(said[kind], " "))
	}
	holds(t, "testdata/fields.tsv", counts.String())
	holds(t, "testdata/says.tsv", says.String())
}

// sumOf is a sum of all that a verdict says: its findings, what couldn't be judged, remarks, the refusal, each function's
// verdict, the trace, and how much was held against the inputs.
func sumOf(v Verdict) string {
	h := crc32.NewIEEE()
	for i, list := range [...][]Finding{v.Findings, v.Unjudged, v.Remarks} {
		for _, f := range list {
			fmt.Fprintf(h, "%d %s %s %s %s %#x %s %q %q %q\n", i, f.Kind, f.File, f.Section, f.Symbol, f.Offset, f.Relocation, f.Want, f.Got, f.Detail)
		}
	}
	if v.Refusal != nil {
		fmt.Fprintln(h, v.Refusal.Error())
	}
	if v.Trace != nil {
		fmt.Fprintln(h, v.Trace.String())
	}
	fmt.Fprintln(h, v.Total, v.Functions, v.Sections, v.Symbols, v.Applied, v.Kept, v.Attributes, v.Calls)
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
	}
}
