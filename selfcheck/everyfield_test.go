package selfcheck_test

import (
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

var updateFields = flag.Bool("fields", false, "write testdata/fields.tsv anew")

// everyField names each kind of number that the objects of the corpus have, in up to three of them, and those that objects
// of other releases and shapes have, which are in testdata, once.
func everyField(t *testing.T, tried func(kind, name string, change func() []byte)) {
	t.Helper()
	count := map[string]int{}
	each := func(prefix, name string, data []byte, most int) {
		seen := map[string]bool{}
		for _, f := range corpus.Fields(data) {
			kind := prefix + f.Kind
			k := count[kind]
			if seen[kind] || k >= most {
				continue
			}
			seen[kind], count[kind] = true, k+1
			tried(kind, name, func() []byte { return f.Change(data, k) })
		}
	}
	capsules(t, func(c *corpus.Capsule, data []byte) { each("", c.Name, data, 3) })
	names, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		prefix := "other "
		if strings.Contains(name, "-12.") {
			prefix = "older "
		}
		each(prefix, name, data, 1)
	}
}

// TestEveryField changes each kind of number that objects have (everyField) and wants what
// testdata/fields.tsv says of it: how many findings there are, 0 where nothing asks for it. A check that goes shows
// there, and so does one that comes. testdata/says.tsv has a sum of what the report says.
//
//	go test ./selfcheck -run TestEveryField -fields
func TestEveryField(t *testing.T) {
	found, said := map[string][]int{}, map[string][]string{}
	everyField(t, func(kind, name string, change func() []byte) {
		r, again, err := selfcheck.Reconstitute(name, change(), selfcheck.Options{AllowUnknown: true})
		found[kind] = append(found[kind], len(r.Findings)+r.More)
		said[kind] = append(said[kind], sumOf(r, again, err))
	})
	var counts, says strings.Builder
	counts.WriteString("# Kinds of numbers in objects, and how many findings a change of one has (TestEveryField)\n")
	says.WriteString("# Kinds of numbers in objects, and a sum of what the report on a change says (TestEveryField)\n")
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&counts, "%s\t%s\n", kind, strings.Trim(fmt.Sprint(found[kind]), "[]"))
		fmt.Fprintf(&says, "%s\t%s\n", kind, strings.Join(said[kind], " "))
	}
	holds(t, "testdata/fields.tsv", counts.String())
	holds(t, "testdata/says.tsv", says.String())
}

// sumOf is a sum of what a report says and of what its file is when put right: findings, what isn't known or checked, nodes,
// what becomes of the bytes, and why a file was refused. How many nodes are known is omitted, since each new row of the table would change it.
func sumOf(r *selfcheck.Report, again []byte, err error) string {
	h := crc32.NewIEEE()
	for _, f := range r.Findings {
		fmt.Fprintf(h, "%d %s %s %s %#x %q %q %q\n", f.Code, f.Kind, f.Aspect, f.Section, f.Offset, f.Expected, f.Found, f.What)
	}
	n := r.Nodes
	n.Reconstituted, n.Unknown = 0, 0
	unknown := maps.Clone(r.Unknown)
	delete(unknown, selfcheck.UnknownRecord)
	_, told := r.Unknown[selfcheck.UnknownRecord]
	fmt.Fprintln(h, r.Verdict, r.More, n, unknown, told == (r.Nodes.Unknown > 0), r.Unchecked, r.Err, crc32.ChecksumIEEE(again), err) // maps are printed in order
	for _, s := range r.Coverage {
		if !strings.HasPrefix(s.What, "instructions of records") && !strings.HasPrefix(s.What, "instructions of a form") && !strings.HasPrefix(s.What, "scheduling") {
			fmt.Fprintln(h, s)
		}
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
