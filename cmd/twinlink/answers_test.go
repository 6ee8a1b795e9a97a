package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/answers"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// The corpus keeps what nvlink wrote; of thousands of links more testdata/answers.tsv keeps the sums alone: of the files
// that went in, of the image that came out and of what nvlink said. The links are made of numbers by package fuzz.
//
//	kind number release options from inputs exit image text key
//
// key is empty where the command line does as nvlink did, and else how it differs. What was the same has to stay so;
// with TWINLINK_EXACT=1 what has become the same has to lose its key. testdata/answers-own.tsv has sums of the lines
// that nvlink doesn't have, of links that have some: with TWINLINK_EXACT=1 they have to stay. A change isn't wrong; whoever
// makes it looks at what is said now and before, and writes the sums again (-update).
//
//	go test ./cmd/twinlink -run TestAnswers -ask 500          asks nvlink the first 500 of each kind again
//	go test ./cmd/twinlink -run TestAnswers -ask 500 -kind alone
//	go test ./cmd/twinlink -run TestAnswers -update           writes only the keys again
//	go test ./cmd/twinlink -run TestAnswers -add edits:812    asks one question more, such as "power --seek-to" finds
var (
	askAnswers    = flag.Int("ask", 0, "ask nvlink that many questions of each kind and write testdata/answers.tsv")
	askKind       = flag.String("kind", "", "with -ask: only this kind; the others stay as they are")
	addAnswers    = flag.String("add", "", "ask nvlink these questions more, KIND:NUMBER,...")
	updateAnswers = flag.Bool("update", false, "write the keys of testdata/answers.tsv anew")
)

func readAnswers(t *testing.T) []answers.Answer {
	t.Helper()
	list, err := answers.Read("testdata/answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func sumOfInputs(q *fuzz.Question) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", q.Release, q.Args, q.Final)
	for _, in := range q.Inputs {
		fmt.Fprintf(h, "%s %d\n", in.Name, len(in.Data))
		h.Write(in.Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// ran is how a command line ended.
type ran struct {
	exit  int
	image []byte
	text  string
	own   string // a sum of the lines that nvlink doesn't have, "" without any
}

// ours runs twinlink's command line.
func ours(t *testing.T, q *fuzz.Question) ran {
	t.Helper()
	for _, in := range q.Inputs {
		if err := os.WriteFile(in.Name, in.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	one := func(args []string, output string) ran {
		_ = os.Remove(output)
		stdout.Reset()
		stderr.Reset()
		exit := run(append([]string{"nvlink", "-toolkit=" + q.Release}, args...), streams{&stdout, &stderr})
		image, err := os.ReadFile(output)
		if err != nil {
			image = nil
		}
		own := strings.Join(ownwarnings.Lines(stderr.String()), "")
		if own != "" {
			own = answers.Sum([]byte(own))
		}
		return ran{exit, image, stdout.String() + withoutOwn(stderr.String()), own}
	}
	r := one(q.Command("out.cubin"), "out.cubin")
	if q.Final == nil || r.exit != 0 {
		return r
	}
	return one(append(slices.Clone(q.Final), "out.cubin", "-o", "final.cubin"), "final.cubin")
}

// theirs runs nvlink.
func theirs(t *testing.T, set *nvidia.Toolset, q *fuzz.Question) (r ran, died bool) {
	t.Helper()
	tool, err := set.Tool(q.Release, nvidia.Nvlink)
	if err != nil {
		t.Error(err)
		return r, true
	}
	one := func(args []string, output string, inputs []nvidia.File) {
		res, err := tool.Run(t.Context(), nvidia.Job{Args: args, Inputs: inputs, Collect: output})
		if err != nil {
			t.Error(err)
			died = true
			return
		}
		r = ran{exit: res.ExitCode, image: res.Files[output], text: string(res.Stdout) + string(res.Stderr)}
		died = res.Outcome == nvidia.Crashed || res.Outcome == nvidia.Hung
	}
	var inputs []nvidia.File
	for _, in := range q.Inputs {
		inputs = append(inputs, nvidia.File{Name: in.Name, Data: in.Data})
	}
	one(q.Command("out.cubin"), "out.cubin", inputs)
	if q.Final != nil && !died && r.exit == 0 {
		one(append(slices.Clone(q.Final), "out.cubin", "-o", "final.cubin"), "final.cubin", []nvidia.File{{Name: "out.cubin", Data: r.image}})
	}
	return r, died
}

// differs names how our run of a kind of links differs from nvlink's, "" where it doesn't.
func differs(a *answers.Outcome, kind string, r ran) string {
	switch {
	case a.Exit < 0:
		return "" // nvlink died
	case r.exit != a.Exit && strings.Contains(r.text, "is not supported by twinlink"):
		return "not supported"
	case a.Exit == 0 && r.exit != 0:
		return "refused"
	case r.exit != a.Exit:
		return "exit"
	case a.Exit == 0 && answers.Sum(r.image) != a.Image:
		return "image"
	case answers.Sum([]byte(r.text)) != a.Text && (kind == "edits" || kind == "fields") && a.Exit != 0:
		return "words" // of a broken file
	case answers.Sum([]byte(r.text)) != a.Text:
		return "text"
	}
	return ""
}

// "go test -short" tries one link of shortAnswers, and those that were added one by one.
const shortAnswers = 3

// answersFile is testdata/answers.tsv, from a working folder of the test's own.
const answersFile = "testdata/answers.tsv"

// TestAnswers wants what nvlink did of thousands of links.
func TestAnswers(t *testing.T) {
	file, err := filepath.Abs(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	var list []answers.Answer
	if *askAnswers > 0 {
		if list = askAll(t, *askAnswers); *askKind != "" {
			list = append(slices.DeleteFunc(readAnswers(t), func(a answers.Answer) bool { return a.Kind == *askKind }), list...)
		}
	} else {
		list = readAnswers(t)
	}
	ownFile := strings.TrimSuffix(file, ".tsv") + "-own.tsv"
	said, err := answers.Sums(ownFile)
	if err != nil && !*updateAnswers {
		t.Fatal(err)
	}
	var own []string
	if *addAnswers != "" {
		list = addTo(t, list, strings.Split(*addAnswers, ","))
	}
	t.Chdir(t.TempDir())
	anew := *askAnswers > 0 || *updateAnswers || *addAnswers != ""
	same := map[string]int{}
	for i := range list {
		a := &list[i]
		if testing.Short() && !anew && i%shortAnswers != 0 && a.Number < answers.FirstAdded {
			continue
		}
		kind := fuzz.KindOf(a.Kind)
		if kind == nil {
			t.Fatalf("no kind %q", a.Kind)
		}
		q, err := kind.Remake(a.Number, &a.Was)
		if err != nil {
			t.Fatal(err)
		}
		if got := sumOfInputs(&q); got != a.Inputs {
			t.Fatalf("%s %d: the generator makes another link now: nvlink has to be asked again (-ask)", a.Kind, a.Number)
		}
		r := ours(t, &q)
		key := differs(&a.Outcome, a.Kind, r)
		switch {
		case anew:
			a.Key = key
			if r.own != "" {
				own = append(own, fmt.Sprintf("%s %d\t%s\n", a.Kind, a.Number, r.own))
			}
		case os.Getenv("TWINLINK_EXACT") != "" && r.own != said[fmt.Sprintf("%s %d", a.Kind, a.Number)]:
			t.Errorf("%s %d, nvlink %s %v: lines of our own are other ones: %s", a.Kind, a.Number, q.Release, q.Args, r.text)
		case (key == "" || key == "words" && a.Key != "") && os.Getenv("TWINLINK_EXACT") == "":
		case key != a.Key:
			t.Errorf("%s %d, nvlink %s %v: %q, listed %q; exit %d, %s", a.Kind, a.Number, q.Release, q.Args, key, a.Key, r.exit, firstText(r.text))
			if testing.Short() {
				return
			}
		}
		if key == "" && a.Exit == 0 {
			same[a.Kind]++
		}
	}
	if anew {
		text := "# What nvlink did, and how the command line differs: kind, number, release, inputs, exit, image, text, key (see answers_test.go)\n"
		for i := range list {
			text += list[i].Line()
		}
		write(t, file, text)
		write(t, ownFile, strings.Join(own, ""))
	}
	asked := map[string]bool{}
	for i := range list {
		asked[list[i].Kind] = true
	}
	for kind := range asked {
		if t.Logf("%s: %d images are nvlink's", kind, same[kind]); same[kind] == 0 {
			t.Errorf("no image of kind %s is nvlink's", kind)
		}
	}
}

// askAll asks nvlink the first n questions of each kind; -ask 1000 asks 1000 of objects, and in proportion of the others.
func askAll(t *testing.T, n int) []answers.Answer {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []answers.Answer
	for i := range fuzz.Kinds {
		k := &fuzz.Kinds[i]
		if *askKind != "" && *askKind != k.Name {
			continue
		}
		list := make([]answers.Answer, n)
		var group sync.WaitGroup
		next := make(chan int)
		for range 2 {
			group.Go(func() {
				for j := range next {
					list[j] = askOne(t, set, k, uint64(j))
				}
			})
		}
		for j := range n {
			next <- j
		}
		close(next)
		group.Wait()
		all = append(all, list...)
	}
	return all
}

// askOne asks nvlink a question.
func askOne(t *testing.T, set *nvidia.Toolset, k *fuzz.Kind, n uint64) answers.Answer {
	q, err := k.Question(n)
	if err != nil {
		t.Error(err)
		return answers.Answer{}
	}
	r, died := theirs(t, set, &q)
	a := answers.Answer{Kind: k.Name, Number: n, Was: fuzz.Question{Release: q.Release, Args: q.Args, Final: q.Final, From: q.From}, Inputs: sumOfInputs(&q),
		Outcome: answers.Outcome{Exit: r.exit, Image: answers.Sum(r.image), Text: answers.Sum([]byte(r.text))}}
	if died {
		a.Exit, a.Image, a.Text = -1, "-", "-"
	}
	return a
}

// addTo asks nvlink questions that are not in a list yet, and puts them into it by kind and number.
func addTo(t *testing.T, list []answers.Answer, names []string) []answers.Answer {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		kind, number, _ := strings.Cut(name, ":")
		k := fuzz.KindOf(kind)
		n, err := strconv.ParseUint(number, 10, 64)
		if k == nil || err != nil {
			t.Fatalf("no question %q", name)
		}
		at := slices.IndexFunc(list, func(a answers.Answer) bool { return a.Kind == kind && a.Number == n })
		if at < 0 {
			list = append(list, askOne(t, set, k, n))
		}
	}
	order := map[string]int{}
	for i := range list {
		if _, ok := order[list[i].Kind]; !ok {
			order[list[i].Kind] = len(order)
		}
	}
	slices.SortStableFunc(list, func(a, b answers.Answer) int {
		return cmp.Or(cmp.Compare(order[a.Kind], order[b.Kind]), cmp.Compare(a.Number, b.Number))
	})
	return list
}

func firstText(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
