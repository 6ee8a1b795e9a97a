package enginetest

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/answers"
)

// reached wants of the engine what nvlink made of links that come to rare places of the engine. Of those that are
// known to come out otherwise it wants each instruction that isn't marked as another one.
func reached(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "corpus", "testdata", "reached")
	list, objects, err := answers.ReadReached(folder)
	if err != nil {
		t.Fatal(err)
	}
	said, err := answers.Sums(filepath.Join(folder, "own.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i := range list {
		a := &list[i]
		if a.Exit == -1 || slices.ContainsFunc(a.Inputs, func(name string) bool { return filepath.Ext(name) != "" }) {
			continue
		}
		q := a.Question(objects)
		l := parse(q.Release, q.Command("out.cubin"), inputOf(q.Inputs))
		if l == nil {
			continue
		}
		asked++
		got, err := l.ask()
		if err != nil {
			t.Errorf("%s %v: %v", a.Program, a.Args, err)
			continue
		}
		if got.ownSum() != said[a.ID()] {
			t.Errorf("%s, nvlink %s %v: lines of our own are other ones: %q", a.Program, a.Release, a.Args, got.own)
		}
		if lost := lostOf(a, &got); lost != "" {
			t.Errorf("%s, nvlink %s %v: %s", a.Program, a.Release, a.Args, lost)
		}
	}
	if asked < 700 {
		t.Errorf("only %d links", asked)
	}
}

// lostOf says what of a link isn't nvlink's, or listed as not being it; "" for nothing.
func lostOf(a *answers.Reached, got *reply) string {
	switch {
	case a.Key == refused && got.otherInSilence(&a.Outcome):
		return "it was refused, and has another image without a warning"
	case a.Key != "" && a.Key != "text" && a.Key != "image":
		return ""
	case got.exit != a.Exit:
		return fmt.Sprintf("status %d, want %d: %s", got.exit, a.Exit, got.text)
	case a.Key == "image":
		return lostCode(a.Code, got.image)
	case got.exit == 0 && answers.Sum(got.image) != a.Image:
		return "another image"
	case a.Key == "" && !slices.Contains(a.Args, "-v") && answers.Sum([]byte(got.text)) != a.Text:
		return "another text: " + got.text
	}
	return ""
}

// lostCode names the first instruction that is no longer as recorded.
func lostCode(theirs []string, image []byte) string {
	code, err := answers.CodeOf(image)
	if err != nil {
		return err.Error()
	}
	for _, c := range theirs {
		if _, lost := answers.Compare(c, code); lost != "" {
			return fmt.Sprintf("%s of %s", lost, c)
		}
	}
	return ""
}
