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
	"strings"
	"testing"
	"time"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/definitions"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/fuzz/power/condition"
	"github.com/twinlink/twinlink/fuzz/reduce"
)

var (
	conditionFile    = flag.String("conditions", "", "file for what TestConditions finds of each condition; it goes on where that ends")
	conditionSize    = flag.Int("conditions-count", 0, "how many conditions there are")
	conditionFrom    = flag.Uint64("conditions-from", 0, "with -conditions-to: fresh questions of these numbers, not recorded links")
	conditionTo      = flag.Uint64("conditions-to", 0, "number behind the last")
	conditionLinks   = flag.String("conditions-links", "", "file with a list of links, not recorded ones")
	conditionReached = flag.Bool("conditions-reached", false, "only the links of TestReached")
	conditionTry     = flag.Int("conditions-try", 80, "how many links are tried on a condition that fails")
)

// recordedLink is a link whose answer by nvlink is known, and is ours.
type recordedLink struct {
	name string
	dir  string
	same func() bool
	seen []byte
}

// TestConditions makes each condition of a program built by "twinlink power --conditions" fail, on recorded links that
// come to it, and writes which are told: "NUMBER told LINK", "NUMBER lives COUNT", "NUMBER unseen".
func TestConditions(t *testing.T) {
	if *conditionFile == "" {
		t.Skip("no file (-conditions)")
	}
	done := map[int]bool{}
	if text, err := os.ReadFile(*conditionFile); err == nil {
		for line := range strings.Lines(string(text)) {
			number, _, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			done[n] = true
		}
	}
	file, err := os.OpenFile(*conditionFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	condition.Seen = make([]byte, *conditionSize)
	var list []recordedLink
	if *conditionLinks != "" {
		list = listedLinks(t, *conditionLinks)
	} else if *conditionTo > *conditionFrom {
		list = freshLinks(t)
	} else {
		list = recordedLinks(t)
	}
	t.Chdir(t.TempDir())
	count := make([]int, 3**conditionSize)
	for i := range list {
		clear(condition.Seen)
		if !unharmed(&list[i]) {
			continue
		}
		list[i].seen = slices.Clone(condition.Seen)
		for n, bits := range condition.Seen {
			for kind, bit := range infects {
				if bits&bit != 0 {
					count[3*n+kind]++
				}
			}
		}
	}
	for f, links := range count {
		if done[f] {
			continue
		}
		if links == 0 {
			fmt.Fprintf(file, "%d unseen\n", f)
			continue
		}
		fmt.Fprintf(file, "%d ", f)
		fmt.Fprintln(file, tell(f, links, list))
	}
}

// infects has what a condition has to come to for a fault to be one.
var infects = [3]byte{condition.True, condition.False, condition.Equal}

// tell tries the first links that come to the fault, which are recorded as a whole, and as many of all, until one tells it.
func tell(fault, links int, list []recordedLink) string {
	condition.Fault = fault + 1
	defer func() { condition.Fault = 0 }()
	n := *conditionTry
	k, tried := 0, 0
	for i := range list {
		l := &list[i]
		if l.seen == nil || l.seen[fault/3]&infects[fault%3] == 0 {
			continue
		}
		if k++; k > n && (k-n)*n < (tried-n)*links {
			continue
		}
		if tried++; !unharmed(l) {
			return "told " + l.name
		}
	}
	return fmt.Sprintf("lives %d", links)
}

func unharmed(l *recordedLink) (same bool) {
	condition.Left = 10_000_000
	late := time.AfterFunc(8*time.Second, func() { os.Exit(3) })
	defer late.Stop()
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	if err := os.Chdir(l.dir); err != nil {
		panic(err)
	}
	return l.same()
}

// listedLinks are those of a list as TestReached takes it (-reached).
func listedLinks(t *testing.T, name string) (list []recordedLink) {
	dir := t.TempDir()
	var links []reachedLink
	if err := json.Unmarshal([]byte(read(t, name)), &links); err != nil {
		t.Fatal(err)
	}
	objects := map[string][]byte{}
	for i := range links {
		l := &links[i]
		for _, path := range l.Inputs {
			objects[path] = []byte(read(t, path))
		}
		list = append(list, recordedLink{name: strconv.Itoa(i), dir: dir, same: asAtFirst(func() string {
			return givenBy(t, l.question(objects))
		})})
	}
	return list
}

// freshLinks are questions that stand in no list; what they have to give is what they give without a fault. Those that
// tell one are put to nvlink by TestAnswers -add.
func freshLinks(t *testing.T) (list []recordedLink) {
	dir := t.TempDir()
	for n := *conditionFrom; n < *conditionTo; n++ {
		for i := range fuzz.Kinds {
			k := &fuzz.Kinds[i]
			list = append(list, recordedLink{name: fmt.Sprintf("%s:%d", k.Name, n), dir: dir, same: asAtFirst(func() string {
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

// asAtFirst asks whether a link gives what it gave when it was first asked.
func asAtFirst(gives func() string) (same func() bool) {
	first := ""
	return func() bool {
		now := gives()
		if first == "" {
			first = now
		}
		return now == first
	}
}

// givenBy is all that a link gives.
func givenBy(t *testing.T, q *fuzz.Question) string {
	r := ours(t, q)
	return fmt.Sprintf("%d %s %s %s", r.exit, sum(r.image), r.text, r.own)
}

// recordedLinks are all of the recorded lists.
func recordedLinks(t *testing.T) (list []recordedLink) {
	dir := t.TempDir()
	add := func(name string, same func() bool) {
		list = append(list, recordedLink{name: name, dir: dir, same: same})
	}
	var rest []recordedLink // before the working folder is another
	if !*conditionReached {
		rest = slices.Concat(foundLinks(t), questionLinks(t, dir), answeredLinks(t, dir))
	}
	reached, objects := readReached(t)
	for i := range reached {
		l, first := &reached[i], ""
		add(fmt.Sprintf("reached:%d", i), func() bool {
			r := ours(t, l.question(objects))
			now := l.differs(r) + " " + r.own
			if l.code != nil {
				code := codeOf(r.image)
				for _, c := range l.code {
					marked, _ := compareCode(c, code)
					now += marked
				}
			}
			if first == "" {
				first = now
			}
			return now == first
		})
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
				list = append(list, recordedLink{name: c.ID(), dir: t.TempDir(), same: asNow(t, c.Inputs, outputName(c.Args), append([]string{"-toolkit=" + c.Release}, c.Args...))})
			}
		}
	}
	return append(list, rest...)
}

// asNow runs a link, whose output and messages, our own among them, have to stay what they are the first time.
func asNow(t *testing.T, inputs []corpus.Input, output string, args []string) func() bool {
	first := ""
	return func() bool {
		for _, in := range inputs {
			write(t, in.Name, string(in.Data))
		}
		_ = os.Remove(output)
		var stdout, stderr bytes.Buffer
		exit := run(append([]string{"nvlink"}, args...), streams{&stdout, &stderr})
		image, _ := os.ReadFile(output)
		now := fmt.Sprintf("%d %s %s %s", exit, sum(image), stdout.String(), stderr.String())
		if first == "" {
			first = now
		}
		return now == first
	}
}

func foundLinks(t *testing.T) (list []recordedLink) {
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
		list = append(list, recordedLink{name: "found:" + filepath.Base(filepath.Dir(name)), dir: t.TempDir(),
			same: asNow(t, inputs, reduce.Output, append([]string{"-toolkit=" + c.Release}, c.Args()...))})
	}
	return list
}

func questionLinks(t *testing.T, dir string) (list []recordedLink) {
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
			list = append(list, recordedLink{name: "definitions:" + q.ID(), dir: dir, same: func() bool { return ask(t, q, objects, want) == "" }})
		}
	}
	return list
}

func answeredLinks(t *testing.T, dir string) (list []recordedLink) {
	kinds := map[string]*fuzz.Kind{}
	for i := range fuzz.Kinds {
		kinds[fuzz.Kinds[i].Name] = &fuzz.Kinds[i]
	}
	answers := readAnswers(t)
	for i := range answers {
		a := &answers[i]
		q, err := kinds[a.kind].Remake(a.number, &a.was)
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		list = append(list, recordedLink{name: fmt.Sprintf("%s:%d", a.kind, a.number), dir: dir, same: func() bool {
			r := ours(t, &q)
			now := a.differs(r) + " " + r.own
			if first == "" {
				first = now
			}
			return now == first
		}})
	}
	return list
}
