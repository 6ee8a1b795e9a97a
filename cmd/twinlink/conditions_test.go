package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/definitions"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/fuzz/power/trial"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/answers"
)

var (
	conditionLinks   = flag.String("conditions-links", "", "file with a list of links, not recorded ones")
	conditionReached = flag.Bool("conditions-reached", false, "only the links of TestReached")
)

// TestConditions makes each condition of a program built by "twinlink power --conditions" fail, on recorded links that
// come to it.
func TestConditions(t *testing.T) {
	if !trial.Asked() {
		t.Skip("no file (-conditions)")
	}
	var list []trial.Case
	if *conditionLinks != "" {
		list = listedLinks(t, *conditionLinks)
	} else if first, behind := trial.Fresh(); first < behind {
		list = freshLinks(t, first, behind)
	} else {
		list = recordedLinks(t)
	}
	t.Chdir(t.TempDir())
	if err := trial.Run(list); err != nil {
		t.Fatal(err)
	}
}

// listedLinks are those of a list as TestReached takes it (-reached).
func listedLinks(t *testing.T, name string) (list []trial.Case) {
	dir := t.TempDir()
	var links []answers.Reached
	if err := json.Unmarshal([]byte(read(t, name)), &links); err != nil {
		t.Fatal(err)
	}
	objects := map[string][]byte{}
	for i := range links {
		l := &links[i]
		for _, path := range l.Inputs {
			objects[path] = []byte(read(t, path))
		}
		list = append(list, trial.Case{Name: strconv.Itoa(i), Dir: dir, Same: trial.AsAtFirst(func() string {
			return givenBy(t, l.Question(objects))
		})})
	}
	return list
}

// freshLinks are questions that are in no list; what they have to give is what they give without a fault. Those that
// tell one are put to nvlink by TestAnswers -add.
func freshLinks(t *testing.T, first, behind uint64) (list []trial.Case) {
	dir := t.TempDir()
	for n := first; n < behind; n++ {
		for i := range fuzz.Kinds {
			k := &fuzz.Kinds[i]
			list = append(list, trial.Case{Name: fmt.Sprintf("%s:%d", k.Name, n), Dir: dir, Same: trial.AsAtFirst(func() string {
				q, err := k.Question(n)
				if err != nil {
					t.Fatal(err)
				}
				return givenBy(t, &q)
			})})
		}
	}
	return list
}

// givenBy is all that a link gives.
func givenBy(t *testing.T, q *fuzz.Question) string {
	r := ours(t, q)
	return fmt.Sprintf("%d %s %s %s", r.exit, answers.Sum(r.image), r.text, r.own)
}

// recordedLinks are all of the recorded lists.
func recordedLinks(t *testing.T) (list []trial.Case) {
	dir := t.TempDir()
	add := func(name string, same func() bool) {
		list = append(list, trial.Case{Name: name, Dir: dir, Same: same})
	}
	var rest []trial.Case // before the working folder is another
	if !*conditionReached {
		rest = slices.Concat(foundLinks(t), questionLinks(t, dir), answeredLinks(t, dir))
	}
	reached, objects := readReached(t)
	for i := range reached {
		l := &reached[i]
		add(fmt.Sprintf("reached:%d", i), trial.AsAtFirst(func() string {
			r := ours(t, l.Question(objects))
			now := differs(&l.Outcome, "", r) + " " + r.own
			if l.Code != nil {
				code := codeOf(r.image)
				for _, c := range l.Code {
					marked, _ := answers.Compare(c, code)
					now += marked
				}
			}
			return now
		}))
	}
	if *conditionReached {
		return list
	}
	for _, read := range []func() ([]corpus.Case, error){programsOf(corpus.Behaviours), programsOf(corpus.Mercury), corpus.Cases} {
		cases, err := read()
		if err != nil {
			t.Fatal(err)
		}
		for i := range cases {
			if c := &cases[i]; c.Complete() && runCase(t, *c) == "" {
				list = append(list, trial.Case{Name: c.ID(), Dir: t.TempDir(), Same: asNow(t, c.Inputs, outputName(c.Args), append([]string{"-toolkit=" + c.Release}, c.Args...))})
			}
		}
	}
	return append(list, rest...)
}

// asNow runs a link, whose output and messages, our own among them, have to stay what they are the first time.
func asNow(t *testing.T, inputs []corpus.Input, output string, args []string) func() bool {
	return trial.AsAtFirst(func() string {
		for _, in := range inputs {
			write(t, in.Name, string(in.Data))
		}
		_ = os.Remove(output)
		var stdout, stderr bytes.Buffer
		exit := run(append([]string{"nvlink"}, args...), streams{&stdout, &stderr})
		image, _ := os.ReadFile(output)
		return fmt.Sprintf("%d %s %s %s", exit, answers.Sum(image), stdout.String(), stderr.String())
	})
}

func foundLinks(t *testing.T) (list []trial.Case) {
	names, err := filepath.Glob(*foundFolder + "/*/found.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		c, err := reduce.Load(filepath.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		var inputs []corpus.Input
		for _, in := range c.Inputs {
			inputs = append(inputs, corpus.Input{Name: in.Name, Data: in.Data})
		}
		list = append(list, trial.Case{Name: "found:" + filepath.Base(filepath.Dir(name)), Dir: t.TempDir(),
			Same: asNow(t, inputs, reduce.Output, append([]string{"-toolkit=" + c.Release}, c.Args()...))})
	}
	return list
}

func questionLinks(t *testing.T, dir string) (list []trial.Case) {
	answers, err := definitions.Answers()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	known := definitions.Known()
	for _, q := range definitions.Questions() {
		if want, ok := answers[q.ID()]; ok && !known[q.ID()] {
			list = append(list, trial.Case{Name: "definitions:" + q.ID(), Dir: dir, Same: func() bool { return ask(t, q, objects, want) == "" }})
		}
	}
	return list
}

func answeredLinks(t *testing.T, dir string) (list []trial.Case) {
	recorded := readAnswers(t)
	for i := range recorded {
		a := &recorded[i]
		q, err := fuzz.KindOf(a.Kind).Remake(a.Number, &a.Was)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, trial.Case{Name: fmt.Sprintf("%s:%d", a.Kind, a.Number), Dir: dir, Same: trial.AsAtFirst(func() string {
			r := ours(t, &q)
			return differs(&a.Outcome, a.Kind, r) + " " + r.own
		})})
	}
	return list
}
