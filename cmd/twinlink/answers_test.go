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
	"github.com/twinlink/twinlink/internal/nvidia"
)

// The corpus keeps what nvlink wrote; of thousands of links more testdata/answers.tsv keeps the sums alone: of the files
// that went in, of the image that came out and of what nvlink said. The links are made of numbers by package fuzz.
//
//	kind number release options from inputs exit image text key
//
// key is empty where the command line does as nvlink did, and else how it differs. What was the same has to stay so;
// with TWINLINK_EXACT=1 what has become the same has to lose its key. testdata/answers-own.tsv has sums of the lines
// that nvlink doesn't have, of links that have some: with TWINLINK_EXACT=1 they have to stay. A change isn't wrong; whoever
// makes it looks at what is said now and before, and writes the sums anew (-update).
//
//	go test ./cmd/twinlink -run TestAnswers -ask 500          asks nvlink the first 500 of each kind anew
//	go test ./cmd/twinlink -run TestAnswers -ask 500 -kind alone
//	go test ./cmd/twinlink -run TestAnswers -update           writes only the keys anew
//	go test ./cmd/twinlink -run TestAnswers -add edits:812    asks one question more, such as "power --seek-to" finds
var (
	askAnswers    = flag.Int("ask", 0, "ask nvlink that many questions of each kind and write testdata/answers.tsv")
	askKind       = flag.String("kind", "", "with -ask: only this kind; the others stay as they are")
	addAnswers    = flag.String("add", "", "ask nvlink these questions more, KIND:NUMBER,...")
	updateAnswers = flag.Bool("update", false, "write the keys of testdata/answers.tsv anew")
)

type recordedAnswer struct {
	kind   string
	number uint64
	was    fuzz.Question
	inputs string
	exit   int // -1: a signal ended it
	image  string
	text   string
	key    string
}

func (a *recordedAnswer) line() string {
	options := strings.Join(a.was.Args, " ")
	if a.was.Final != nil {
		options += " ; " + strings.Join(a.was.Final, " ")
	}
	return fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", a.kind, a.number, a.was.Release, options, strings.Join(a.was.From, " "), a.inputs, a.exit, a.image, a.text, a.key)
}

func readAnswers(t *testing.T) []recordedAnswer {
	t.Helper()
	text, err := os.ReadFile("testdata/answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var list []recordedAnswer
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 10 {
			t.Fatalf("answers.tsv: %q has %d fields, want 10", line, len(f))
		}
		a := recordedAnswer{kind: f[0], inputs: f[5], image: f[7], text: f[8], key: f[9]}
		options, final, two := strings.Cut(f[3], " ; ")
		a.was = fuzz.Question{Release: f[2], Args: strings.Fields(options), From: strings.Fields(f[4])}
		if two {
			a.was.Final = strings.Fields(final)
		}
		var errs [2]error
		a.number, errs[0] = strconv.ParseUint(f[1], 10, 64)
		a.exit, errs[1] = strconv.Atoi(f[6])
		if errs[0] != nil || errs[1] != nil {
			t.Fatalf("answers.tsv: %q", line)
		}
		list = append(list, a)
	}
	return list
}

func sum(b []byte) string {
	if b == nil {
		return "-"
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:8])
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
		own := strings.Join(ownLines(stderr.String()), "")
		if own != "" {
			own = sum([]byte(own))
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

// differs names how our run differs from nvlink's, "" where it doesn't.
func (a *recordedAnswer) differs(r ran) string {
	switch {
	case a.exit < 0:
		return "" // nvlink died
	case r.exit != a.exit && strings.Contains(r.text, "is not supported by twinlink"):
		return "not supported"
	case a.exit == 0 && r.exit != 0:
		return "refused"
	case r.exit != a.exit:
		return "exit"
	case a.exit == 0 && sum(r.image) != a.image:
		return "image"
	case sum([]byte(r.text)) != a.text && (a.kind == "edits" || a.kind == "fields") && a.exit != 0:
		return "words" // of a broken file
	case sum([]byte(r.text)) != a.text:
		return "text"
	}
	return ""
}

// "go test -short" tries one link of shortAnswers, and those that were added one by one.
const shortAnswers, firstAdded = 3, 1500

// answersFile is testdata/answers.tsv, from a working folder of the test's own.
const answersFile = "testdata/answers.tsv"

// TestAnswers wants what nvlink did of thousands of links.
func TestAnswers(t *testing.T) {
	file, err := filepath.Abs(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	var list []recordedAnswer
	if *askAnswers > 0 {
		if list = askAll(t, *askAnswers); *askKind != "" {
			list = append(slices.DeleteFunc(readAnswers(t), func(a recordedAnswer) bool { return a.kind == *askKind }), list...)
		}
	} else {
		list = readAnswers(t)
	}
	said := map[string]string{}
	ownFile := strings.TrimSuffix(file, ".tsv") + "-own.tsv"
	text, err := os.ReadFile(ownFile)
	if err != nil && !*updateAnswers {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, own, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		said[name] = own
	}
	var own []string
	if *addAnswers != "" {
		list = addTo(t, list, strings.Split(*addAnswers, ","))
	}
	t.Chdir(t.TempDir())
	kinds := map[string]*fuzz.Kind{}
	for i := range fuzz.Kinds {
		kinds[fuzz.Kinds[i].Name] = &fuzz.Kinds[i]
	}
	anew := *askAnswers > 0 || *updateAnswers || *addAnswers != ""
	same := map[string]int{}
	for i := range list {
		a := &list[i]
		if testing.Short() && !anew && i%shortAnswers != 0 && a.number < firstAdded {
			continue
		}
		if kinds[a.kind] == nil {
			t.Fatalf("no kind %q", a.kind)
		}
		q, err := kinds[a.kind].Remake(a.number, &a.was)
		if err != nil {
			t.Fatal(err)
		}
		if got := sumOfInputs(&q); got != a.inputs {
			t.Fatalf("%s %d: the generator makes another link now: nvlink has to be asked again (-ask)", a.kind, a.number)
		}
		r := ours(t, &q)
		key := a.differs(r)
		switch {
		case anew:
			a.key = key
			if r.own != "" {
				own = append(own, fmt.Sprintf("%s %d\t%s\n", a.kind, a.number, r.own))
			}
		case os.Getenv("TWINLINK_EXACT") != "" && r.own != said[fmt.Sprintf("%s %d", a.kind, a.number)]:
			t.Errorf("%s %d, nvlink %s %v: lines of our own are other ones: %s", a.kind, a.number, q.Release, q.Args, r.text)
		case (key == "" || key == "words" && a.key != "") && os.Getenv("TWINLINK_EXACT") == "":
		case key != a.key:
			t.Errorf("%s %d, nvlink %s %v: %q, listed %q; exit %d, %s", a.kind, a.number, q.Release, q.Args, key, a.key, r.exit, firstText(r.text))
			if testing.Short() {
				return
			}
		}
		if key == "" && a.exit == 0 {
			same[a.kind]++
		}
	}
	if anew {
		text := "# What nvlink did, and how the command line differs: kind, number, release, inputs, exit, image, text, key (see answers_test.go)\n"
		for i := range list {
			text += list[i].line()
		}
		write(t, file, text)
		write(t, ownFile, strings.Join(own, ""))
	}
	asked := map[string]bool{}
	for i := range list {
		asked[list[i].kind] = true
	}
	for kind := range asked {
		if t.Logf("%s: %d images are nvlink's", kind, same[kind]); same[kind] == 0 {
			t.Errorf("no image of kind %s is nvlink's", kind)
		}
	}
}

// askAll asks nvlink the first n questions of each kind; -ask 1000 asks 1000 of objects, and in proportion of the others.
func askAll(t *testing.T, n int) []recordedAnswer {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []recordedAnswer
	for i := range fuzz.Kinds {
		k := &fuzz.Kinds[i]
		if *askKind != "" && *askKind != k.Name {
			continue
		}
		list := make([]recordedAnswer, n)
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
func askOne(t *testing.T, set *nvidia.Toolset, k *fuzz.Kind, n uint64) recordedAnswer {
	q, err := k.Question(n)
	if err != nil {
		t.Error(err)
		return recordedAnswer{}
	}
	r, died := theirs(t, set, &q)
	a := recordedAnswer{kind: k.Name, number: n, was: fuzz.Question{Release: q.Release, Args: q.Args, Final: q.Final, From: q.From}, inputs: sumOfInputs(&q), exit: r.exit, image: sum(r.image), text: sum([]byte(r.text))}
	if died {
		a.exit, a.image, a.text = -1, "-", "-"
	}
	return a
}

// addTo asks nvlink questions that are not in a list yet, and puts them into it by kind and number.
func addTo(t *testing.T, list []recordedAnswer, names []string) []recordedAnswer {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		kind, number, _ := strings.Cut(name, ":")
		i := slices.IndexFunc(fuzz.Kinds[:], func(k fuzz.Kind) bool { return k.Name == kind })
		n, err := strconv.ParseUint(number, 10, 64)
		if i < 0 || err != nil {
			t.Fatalf("no question %q", name)
		}
		at := slices.IndexFunc(list, func(a recordedAnswer) bool { return a.kind == kind && a.number == n })
		if at < 0 {
			list = append(list, askOne(t, set, &fuzz.Kinds[i], n))
		}
	}
	order := map[string]int{}
	for i := range list {
		if _, ok := order[list[i].kind]; !ok {
			order[list[i].kind] = len(order)
		}
	}
	slices.SortStableFunc(list, func(a, b recordedAnswer) int {
		return cmp.Or(cmp.Compare(order[a.kind], order[b.kind]), cmp.Compare(a.number, b.number))
	})
	return list
}

func firstText(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
