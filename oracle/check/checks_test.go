package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
)

const checksFile = "testdata/checks.tsv"

var updateChecks = flag.Bool("checks", false, "write the findings of "+checksFile+" anew")

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

// checked is what a check says, strictly, of a link made wrong by edits of its output, inputs or list of inputs (see
// change); "" of edits that can't be made.
func checked(cases map[string]corpus.Case, link, edits string) string {
	c, ok := cases[link]
	if !ok {
		return ""
	}
	v, err := checkChanged(c, edits)
	if err != nil {
		return ""
	}
	return says(v)
}

// randomCheck makes wrong check n: one or two edits of the output or of an input.
func randomCheck(cases map[string]corpus.Case, n uint64) (link, edits string, ok bool) {
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
	link, edits = c.ID(), strings.Join(list, "; ")
	return link, edits, checked(cases, link, edits) != ""
}

// TestChecks wants of links of nvlink, each made wrong in one or two places, what is recorded: that there are findings, and
// each of them. The edits are those of thousands at random that told a fault in this package ("twinlink power
// --conditions").
//
//	go test ./oracle/check -run TestChecks -checks
func TestChecks(t *testing.T) {
	cases := checkable(t)
	corpustest.RunChecks(t, checksFile, *updateChecks, func(c *corpustest.Check) string { return checked(cases, c.Subject, c.Edit) },
		func(said string) bool { return said != "" })
}
