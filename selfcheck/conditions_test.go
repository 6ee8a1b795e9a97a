package selfcheck_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/fuzz/power/trial"
	"github.com/twinlink/twinlink/selfcheck"
	"github.com/twinlink/twinlink/selfcheck/internal/defects"
)

// TestConditions makes each condition of a program built by "twinlink power --conditions" fail, on recorded checks that
// come to it: each wants what the test of its name wants.
func TestConditions(t *testing.T) {
	if !trial.Asked() {
		t.Skip("no file (-conditions)")
	}
	files := filesOfCapsules(t)
	var list []trial.Case
	if first, behind := trial.Fresh(); first < behind {
		list = freshChecks(files, first, behind)
	} else {
		list = slices.Concat(listedChecks(t, files), wholeChecks(t), mutantChecks(t), plantedChecks(t), fieldChecks(t), kindChecks(t))
	}
	if err := trial.Run(list); err != nil {
		t.Fatal(err)
	}
}

// freshChecks are edits at random, each named as in testdata/checks.tsv: what they have to give is what they give without
// a fault.
func freshChecks(files map[string][]byte, first, behind uint64) (list []trial.Case) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	})
	for n := first; n < behind; n++ {
		r := rand.New(rand.NewPCG(n, 3))
		name := names[r.IntN(len(names))]
		data := files[name]
		edit := corpus.RandomEdit(data, r)
		if n%2 == 0 {
			edit += "; " + corpus.RandomEdit(data, r)
		}
		list = append(list, trial.Case{Name: name + "\t" + edit, Same: trial.AsAtFirst(func() string { return checked(name, data, edit) })})
	}
	return list
}

// listedChecks are those of TestExact and TestChecks.
func listedChecks(t *testing.T, files map[string][]byte) (list []trial.Case) {
	for _, c := range exactChecks(t) {
		list = append(list, trial.Case{Name: "exact", Same: func() bool { _, found := c.check(); return found }})
	}
	for _, c := range corpustest.ReadChecks(t, checksFile) {
		list = append(list, trial.Case{Name: "checks", Same: func() bool { return checked(c.Subject, files[c.Subject], c.Edit) == c.Want }})
	}
	return list
}

// wholeChecks are those of TestPass.
func wholeChecks(t *testing.T) (list []trial.Case) {
	capsules(t, func(c *corpus.Capsule, data []byte) {
		list = append(list, trial.Case{Name: "pass:" + c.Name, Same: func() bool {
			r, again, err := selfcheck.Reconstitute(c.Name, data, selfcheck.Options{AllowUnknown: true})
			return err == nil && r.Verdict == selfcheck.Pass && bytes.Equal(again, data)
		}})
	})
	return list
}

func mutantChecks(t *testing.T) (list []trial.Case) {
	mutants, err := corpus.Mutants()
	if err != nil {
		t.Fatal(err)
	}
	for i := range mutants {
		m := &mutants[i]
		data, err := m.Data()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, trial.Case{Name: "mutant:" + m.Name, Same: func() bool {
			return unseen[m.Kind] || selfcheck.Check(m.Name, data, selfcheck.Options{Rules: selfcheck.Records()}).Verdict != selfcheck.Pass
		}})
	}
	return list
}

// plantedChecks has a defect of each kind in each object that has a place for it.
func plantedChecks(t *testing.T) (list []trial.Case) {
	capsules(t, func(c *corpus.Capsule, data []byte) {
		f, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		m := capsule.Open(f)
		for k := range defects.Fields {
			d := &defects.Fields[k]
			if sites := d.Sites(m); len(sites) > 0 {
				bad := sites[len(list)%len(sites)].Plant(m, data)
				list = append(list, trial.Case{Name: "planted:" + d.Name + ":" + c.Name, Same: func() bool {
					return found(selfcheck.Check(c.Name, bad, selfcheck.Options{}), d)
				}})
			}
		}
	})
	return list
}

// fieldChecks are those of TestEveryField.
func fieldChecks(t *testing.T) (list []trial.Case) {
	everyField(t, func(kind, name string, change func() []byte) {
		list = append(list, trial.Case{Name: "field:" + kind, Same: trial.AsAtFirst(func() string {
			r, again, err := selfcheck.Reconstitute(name, change(), selfcheck.Options{AllowUnknown: true})
			return fmt.Sprint(len(r.Findings)+r.More, sumOf(r, again, err))
		})})
	})
	return list
}

// kindChecks are those of TestEveryKind.
func kindChecks(t *testing.T) (list []trial.Case) {
	everyKind(t, func(kind, name string, data []byte) {
		list = append(list, trial.Case{Name: "kind:" + kind, Same: trial.AsAtFirst(func() string { return saidOf(name, data) })})
	})
	return list
}
