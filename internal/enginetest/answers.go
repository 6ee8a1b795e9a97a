package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/answers"
)

// everyAnswer is of how many answers one is held, but for those that were added one by one.
const everyAnswer = 3

// recordedAnswers wants of the engine what nvlink did of links that are made of numbers.
func recordedAnswers(t *testing.T) {
	list, err := answers.Read(listed("answers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	said, err := answers.Sums(listed("answers-own.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i := range list {
		a := &list[i]
		if a.Kind == "options" { // of the command line
			continue
		}
		own := said[fmt.Sprintf("%s %d", a.Kind, a.Number)]
		alike := a.Key == "" || a.Key == "text" || a.Key == "words"
		if a.Number%everyAnswer != 0 && a.Number < answers.FirstAdded || a.Exit == -1 || !alike && a.Key != refused && own == "" {
			continue
		}
		got, err := answer(a)
		switch {
		case err != nil:
			t.Errorf("%s %d: %v", a.Kind, a.Number, err)
		case got == nil:
		default:
			asked++
			if got.ownSum() != own {
				t.Errorf("%s %d, nvlink %s %s: lines of our own are other ones: %q", a.Kind, a.Number, a.Was.Release, a.Was.Args, got.own)
			}
			if what := differs(a, got); alike && what != "" {
				t.Errorf("%s %d, nvlink %s %s: %s is not nvlink's any more: status %d, %s", a.Kind, a.Number, a.Was.Release, a.Was.Args, what, got.exit, got.text)
			}
			if a.Key == refused && got.otherInSilence(&a.Outcome) {
				t.Errorf("%s %d, nvlink %s %s: was refused, and is linked otherwise than nvlink does without a warning", a.Kind, a.Number, a.Was.Release, a.Was.Args)
			}
		}
	}
	if asked < 2000 {
		t.Errorf("only %d links", asked)
	}
}

// refused is the key of a link that nvlink makes and the engine doesn't.
const refused = "refused"

// otherInSilence reports whether a link has another image than nvlink's and nobody is warned.
func (a *reply) otherInSilence(theirs *answers.Outcome) bool {
	return a.exit == 0 && theirs.Exit == 0 && answers.Sum(a.image) != theirs.Image && !a.warned
}

// differs names what of a link isn't nvlink's.
func differs(a *answers.Answer, got *reply) string {
	switch {
	case got.exit != a.Exit:
		return "the status"
	case got.exit == 0 && answers.Sum(got.image) != a.Image:
		return "the image"
	case a.Key != "" || slices.Contains(a.Was.Args, "-v") || slices.Contains(a.Was.Final, "-v"):
		return ""
	case got.warned || answers.Sum([]byte(got.text)) != a.Text:
		return "the text"
	}
	return ""
}

// answer makes the link of an answer, in one step or two; nil where the engine alone doesn't decide what comes of it.
func answer(a *answers.Answer) (*reply, error) {
	q, err := fuzz.KindOf(a.Kind).Remake(a.Number, &a.Was)
	if err != nil {
		return nil, err
	}
	l := parse(q.Release, q.Command("out.cubin"), inputOf(q.Inputs))
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

// inputOf finds an input by its name.
func inputOf(inputs []engine.Input) func(name string) []byte {
	return func(name string) []byte {
		at := slices.IndexFunc(inputs, func(in engine.Input) bool { return in.Name == name })
		return inputs[at].Data
	}
}
