package check

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/fuzz/power/trial"
)

var (
	conditionFrom = flag.Uint64("conditions-from", 0, "with -conditions-to: edits at random of these numbers, not recorded checks")
	conditionTo   = flag.Uint64("conditions-to", 0, "number behind the last")
)

// TestConditions makes each condition of a program built by "twinlink power --conditions" fail, on recorded checks that
// come to it: each wants what the test of its name wants.
func TestConditions(t *testing.T) {
	if !trial.Asked() {
		t.Skip("no file (-conditions)")
	}
	var list []trial.Case
	if *conditionTo > *conditionFrom {
		list = freshEdits(t)
	} else {
		list = slices.Concat(recordedChecks(t), rightChecks(t), exactChecks(t), fieldChecks(t), againChecks(t))
	}
	if err := trial.Run(list); err != nil {
		t.Fatal(err)
	}
}

// freshEdits are those of TestChecks to be, each named as there.
func freshEdits(t *testing.T) (list []trial.Case) {
	cases := checkable(t)
	for n := *conditionFrom; n < *conditionTo; n++ {
		if c, ok := randomCheck(cases, n); ok {
			list = append(list, trial.Case{Name: c.link + "\t" + c.edit, Same: trial.AsAtFirst(func() string { return c.checked(cases) })})
		}
	}
	return list
}

func recordedChecks(t *testing.T) (list []trial.Case) {
	cases := checkable(t)
	for _, c := range readChecks(t) {
		list = append(list, trial.Case{Name: "checks", Same: func() bool { return c.checked(cases) == c.want }})
	}
	return list
}

// rightChecks are those of TestAcceptsNvlink, TestAcceptsMercury and TestBehaviours.
func rightChecks(t *testing.T) (list []trial.Case) {
	for _, c := range checkable(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		list = append(list, trial.Case{Name: "right:" + c.ID(), Same: trial.AsAtFirst(func() string {
			v := Check(inputs, c.Output, options)
			return fmt.Sprint(v.Total, len(v.Unjudged), sumOf(v.Findings))
		})})
	}
	return list
}

func exactChecks(t *testing.T) (list []trial.Case) {
	text, err := os.ReadFile("testdata/exact.tsv")
	if err != nil {
		t.Fatal(err)
	}
	cases := checkable(t)
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		c := cases[f[0]]
		inputs, out := inputsOf(c), bytes.Clone(c.Output)
		for one := range strings.SplitSeq(f[1], ";") {
			if inputs, err = change(inputs, out, strings.TrimSpace(one)); err != nil {
				t.Fatal(err)
			}
		}
		o := optionsOf(c)
		o.Strict = true
		list = append(list, trial.Case{Name: "exact", Same: trial.AsAtFirst(func() string { return sumOf(Check(inputs, out, o).Findings) })})
	}
	return list
}

// fieldChecks are those of TestEveryField.
func fieldChecks(t *testing.T) (list []trial.Case) {
	tried := map[string]int{}
	for _, c := range slices.Concat(mercuryCases(t), linkedCases(t)) {
		inputs, options := inputsOf(c), optionsOf(c)
		seen := map[string]bool{}
		for _, f := range corpus.Fields(c.Output) {
			k := tried[f.Kind]
			if seen[f.Kind] || k == 4 {
				continue
			}
			seen[f.Kind], tried[f.Kind] = true, k+1
			list = append(list, trial.Case{Name: "field:" + f.Kind, Same: trial.AsAtFirst(func() string {
				v := Check(inputs, f.Change(c.Output, k+len(f.Kind)), options)
				return fmt.Sprint(v.Total, v.Refusal != nil, sumOf(v.Findings))
			})})
		}
	}
	return list
}

// againChecks are those of TestEveryInput.
func againChecks(t *testing.T) (list []trial.Case) {
	for _, a := range slices.Concat(otherInputs(t), otherOptions(t)) {
		list = append(list, trial.Case{Name: "input:" + a.kind, Same: trial.AsAtFirst(func() string { return says(a.ask()) })})
	}
	return list
}
