package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
)

// The columns of answers.tsv, of which cmd/twinlink's TestAnswers says more.
const (
	ansKind = iota
	ansNumber
	ansRelease
	ansOptions
	ansFrom
	ansInputs
	ansExit
	ansImage
	ansText
	ansKey
	ansColumns
)

// everyAnswer is of how many answers one is held, but for those that were added one by one.
const everyAnswer, firstAdded = 3, 1500

// Answers wants of the engine what nvlink did of links that are made of numbers.
func Answers(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "cmd", "twinlink", "testdata", "answers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]*fuzz.Kind{}
	for i := range fuzz.Kinds {
		kinds[fuzz.Kinds[i].Name] = &fuzz.Kinds[i]
	}
	asked := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' || len(f) != ansColumns {
			continue
		}
		if f[ansKind] == "options" { // of the command line
			continue
		}
		number, err := strconv.ParseUint(f[ansNumber], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if number%everyAnswer != 0 && number < firstAdded || f[ansExit] == "-1" || f[ansKey] != "" && f[ansKey] != "text" && f[ansKey] != "words" {
			continue
		}
		got, err := answer(f, kinds[f[ansKind]], number)
		switch {
		case err != nil:
			t.Errorf("%s %d: %v", f[ansKind], number, err)
		case got == nil:
		default:
			asked++
			if what := differs(f, got); what != "" {
				t.Errorf("%s %d, nvlink %s %s: %s is not nvlink's any more: status %d, %s", f[ansKind], number, f[ansRelease], f[ansOptions], what, got.exit, got.text)
			}
		}
	}
	if asked < 2000 {
		t.Errorf("only %d links", asked)
	}
}

// differs names what of a link isn't nvlink's.
func differs(f []string, got *reply) string {
	switch {
	case strconv.Itoa(got.exit) != f[ansExit]:
		return "the status"
	case got.exit == 0 && sum8(got.image) != f[ansImage]:
		return "the image"
	case f[ansKey] != "" || strings.Contains(" "+f[ansOptions]+" ", " -v "):
		return ""
	case got.warned || sum8([]byte(got.text)) != f[ansText]:
		return "the text"
	}
	return ""
}

// answer makes the link of an answer, in one step or two; nil where the engine alone doesn't decide what comes of it.
func answer(f []string, kind *fuzz.Kind, number uint64) (*reply, error) {
	options, final, two := strings.Cut(f[ansOptions], " ; ")
	was := fuzz.Question{Release: f[ansRelease], Args: strings.Fields(options), From: strings.Fields(f[ansFrom])}
	if two {
		was.Final = strings.Fields(final)
	}
	if kind == nil {
		return nil, fmt.Errorf("no such kind")
	}
	q, err := kind.Remake(number, &was)
	if err != nil {
		return nil, err
	}
	l := parse(q.Release, q.Command("out.cubin"), func(name string) []byte {
		at := slices.IndexFunc(q.Inputs, func(in engine.Input) bool { return in.Name == name })
		return q.Inputs[at].Data
	})
	if l == nil {
		return nil, nil
	}
	got, err := l.ask()
	if err != nil || q.Final == nil || got.exit != 0 {
		return &got, err
	}
	image := got.image
	if l = parse(q.Release, append(slices.Clone(q.Final), "out.cubin", "-o", "final.cubin"), func(string) []byte { return image }); l == nil {
		return nil, nil
	}
	got, err = l.ask()
	return &got, err
}
