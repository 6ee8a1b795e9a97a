package check

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/fuzz/power/trial"
	"github.com/twinlink/twinlink/internal/relayout"
)

// TestConditions makes each condition of a program built by "twinlink power --conditions" fail, on recorded checks that
// come to it: each wants what the test of its name wants.
func TestConditions(t *testing.T) {
	if !trial.Asked() {
		t.Skip("no file (-conditions)")
	}
	var list []trial.Case
	if first, behind := trial.Fresh(); first < behind {
		list = freshEdits(t, first, behind)
	} else {
		list = slices.Concat(recordedChecks(t), rightChecks(t), exactChecks(t), defectChecks(t), layoutChecks(t), fieldChecks(t), againChecks(t))
	}
	if err := trial.Run(list); err != nil {
		t.Fatal(err)
	}
}

// freshEdits are those of TestChecks to be, each named as there.
func freshEdits(t *testing.T, first, behind uint64) (list []trial.Case) {
	cases := checkable(t)
	for n := first; n < behind; n++ {
		if link, edits, ok := randomCheck(cases, n); ok {
			list = append(list, trial.Case{Name: link + "\t" + edits, Same: trial.AsAtFirst(func() string { return checked(cases, link, edits) })})
		}
	}
	return list
}

func recordedChecks(t *testing.T) (list []trial.Case) {
	cases := checkable(t)
	for _, c := range corpustest.ReadChecks(t, checksFile) {
		list = append(list, trial.Case{Name: "checks", Same: func() bool { return checked(cases, c.Subject, c.Edit) == c.Want }})
	}
	return list
}

// rightChecks are those of TestAcceptsNvlink, TestAcceptsMercury and TestBehaviours.
func rightChecks(t *testing.T) (list []trial.Case) {
	for _, c := range checkable(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		list = append(list, trial.Case{Name: "right:" + c.ID(), Same: trial.AsAtFirst(func() string {
			v := Check(inputs, c.Output, options)
			return fmt.Sprint(v.Total, len(v.Unjudged), sumOf(v))
		})})
	}
	return list
}

// defectChecks are some of TestRejectsDefects, TestRejectsMercuryDefects and TestRejectsInFirst: of each kind the first two
// links that it is planted in.
func defectChecks(t *testing.T) (list []trial.Case) {
	planted := map[string]int{}
	linked := slices.DeleteFunc(linkedCases(t), func(c corpus.Case) bool { return len(c.Output)%7 != 0 && !optionsOf(c).PreserveRelocs })
	for _, c := range slices.Concat(linked, mercuryCases(t), firstCases(t)) {
		options := optionsOf(c)
		options.Strict = true
		inputs, of := inputsOf(c), editorOf(t, c)
		for _, d := range slices.Concat(defects, mercuryDefects, firstDefects, plantedDefects) {
			e := &editor{check: of.check, out: of.out, bytes: slices.Clone(c.Output)}
			if planted[d.name] >= 2 || !d.plant(e) || bytes.Equal(e.bytes, c.Output) {
				continue
			}
			planted[d.name]++
			list = append(list, trial.Case{Name: "defect:" + d.name, Same: func() bool {
				v := Check(inputs, e.bytes, options)
				return !v.Agrees() && names(v, d.want)
			}})
		}
	}
	return list
}

// layoutChecks are those of TestAcceptsLayouts.
func layoutChecks(t *testing.T) (list []trial.Case) {
	for name, c := range checkable(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		other, err := relayout.File(c.Output, relayout.All, uint64(len(name))+uint64(len(c.Output)))
		if err == nil && Check(inputs, c.Output, options).Agrees() {
			list = append(list, trial.Case{Name: "layout:" + name, Same: func() bool { return Check(inputs, other, options).Agrees() }})
		}
	}
	slices.SortFunc(list, func(a, b trial.Case) int { return strings.Compare(a.Name, b.Name) })
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
		list = append(list, trial.Case{Name: "exact", Same: trial.AsAtFirst(func() string {
			v, err := checkChanged(c, f[1])
			return fmt.Sprint(err, sumOf(v))
		})})
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
				return fmt.Sprint(v.Total, v.Refusal != nil, sumOf(v))
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
