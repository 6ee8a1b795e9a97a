package check

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

const checksFile = "testdata/checks.tsv"

var updateChecks = flag.Bool("checks", false, "write the findings of "+checksFile+" anew")

// recordedCheck is a line of testdata/checks.tsv: a link of nvlink, what is done to its output, inputs or list of inputs
// (see change), and what a check says of it.
type recordedCheck struct{ link, edit, want string }

func readChecks(t testing.TB) (list []recordedCheck) {
	t.Helper()
	text, err := os.ReadFile(checksFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("%q has no three fields", line)
		}
		list = append(list, recordedCheck{f[0], f[1], f[2]})
	}
	return list
}

// checkable are all right links of the corpora.
func checkable(t testing.TB) map[string]corpus.Case {
	t.Helper()
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]corpus.Case{}
	for _, c := range slices.Concat(linkedCases(t), mercuryCases(t), corpus.CasesOf(programs)) {
		if c.Linked() && c.Output != nil && c.Complete() {
			cases[c.ID()] = c
		}
	}
	return cases
}

// checked is what a check says, strictly, of the link made wrong; "" of an edit that changes nothing.
func (r *recordedCheck) checked(cases map[string]corpus.Case) string {
	c, ok := cases[r.link]
	if !ok {
		return ""
	}
	inputs, out := inputsOf(c), bytes.Clone(c.Output)
	for one := range strings.SplitSeq(r.edit, ";") {
		var err error
		if inputs, err = change(inputs, out, strings.TrimSpace(one)); err != nil {
			return ""
		}
	}
	o := optionsOf(c)
	o.Strict = true
	return says(Check(inputs, out, o))
}

// randomCheck makes wrong check n: one or two edits of the output or of an input.
func randomCheck(cases map[string]corpus.Case, n uint64) (recordedCheck, bool) {
	r := rand.New(rand.NewPCG(n, 4))
	names := make([]string, 0, len(cases))
	for name := range cases {
		names = append(names, name)
	}
	slices.Sort(names)
	c := cases[names[r.IntN(len(names))]]
	var list []string
	for range 1 + r.IntN(2) {
		if i := r.IntN(2 * len(c.Inputs)); i < len(c.Inputs) {
			list = append(list, fmt.Sprintf("input %d %s", i, corpus.RandomEdit(c.Inputs[i].Data, r)))
		} else {
			list = append(list, corpus.RandomEdit(c.Output, r))
		}
	}
	made := recordedCheck{link: c.ID(), edit: strings.Join(list, "; ")}
	return made, made.checked(cases) != ""
}

// TestChecks wants of links of nvlink, each made wrong in one or two places, what is recorded: that there are findings, and
// each of them. The edits are those of thousands at random that told a fault in this package ("twinlink power
// --conditions").
//
//	go test ./oracle/check -run TestChecks -checks
func TestChecks(t *testing.T) {
	list, cases := readChecks(t), checkable(t)
	var b strings.Builder
	for i := range list {
		c := &list[i]
		got := c.checked(cases)
		fmt.Fprintf(&b, "%s\t%s\t%s\n", c.link, c.edit, got)
		if got == "" {
			t.Errorf("%s: %s: no such link, or no such edit", c.link, c.edit)
		} else if got != c.want && !*updateChecks {
			t.Errorf("%s: %s: %q, recorded %q", c.link, c.edit, got, c.want)
		}
	}
	if len(list) == 0 {
		t.Error("no check")
	}
	if *updateChecks {
		if err := os.WriteFile(checksFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
