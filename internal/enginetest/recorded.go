package enginetest

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/definitions"
)

// unsure are programs whose image is nvlink's though a warning says that it may not be.
var unsure = []string{"loops_complete", "off_target_part", "schedules", "surface_fence"}

// Links puts recorded links of all sorts to the engine.
func Links(t *testing.T) {
	t.Helper()
	t.Run("corpus", recorded)
	t.Run("reached", reached)
	t.Run("answers", recordedAnswers)
	t.Run("definitions", func(t *testing.T) { defined(t, 7) })
}

// recorded wants of the engine what nvlink made of the corpus' links: the bytes, the messages and the exit status.
func recorded(t *testing.T) {
	said, err := ownOfCases()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, read := range []func() ([]corpus.Program, error){corpus.Links, corpus.Mercury, corpus.Behaviours} {
		programs, err := read()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range corpus.CasesOf(programs) {
			if !c.Complete() {
				continue
			}
			l := parse(c.Release, c.Args, func(name string) []byte {
				at := slices.IndexFunc(c.Inputs, func(in corpus.Input) bool { return in.Name == name })
				if at < 0 {
					return nil
				}
				return c.Inputs[at].Data
			})
			if l == nil {
				continue
			}
			asked++
			got, err := l.ask()
			if err != nil {
				t.Errorf("%s: %v", c.ID(), err)
				continue
			}
			if want := withoutInfo(c.Stderr); got.exit != c.Exit || got.text != want || got.sum() != c.SHA256 {
				t.Errorf("%s: status %d, %q, image %.12s; nvlink %s has %d, %q, %.12s", c.ID(), got.exit, got.text, got.sum(), c.Release, c.Exit, want, c.SHA256)
			}
			if own, listed := said[c.ID()]; listed && !slices.Equal(got.own, own) {
				t.Errorf("%s: lines of our own are other ones: %q, were %q", c.ID(), got.own, own)
			}
			if got.warned && !slices.Contains(unsure, c.Program) {
				t.Errorf("%s: a warning that the image may differ", c.ID())
			}
		}
	}
	if asked < 800 {
		t.Errorf("only %d links", asked)
	}
}

// defined wants of the engine what nvlink did of two or three definitions of a name: one of every so many questions.
func defined(t *testing.T, every int) {
	answers, err := definitions.Answers()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	known := definitions.Known()
	asked := 0
	for n, q := range definitions.Questions() {
		want, ok := answers[q.ID()]
		if !ok || known[q.ID()] || want.Exit < 0 || n%every != 0 {
			continue
		}
		l := parse(q.Release, q.Args(), func(name string) []byte {
			for i, key := range q.Objects {
				if name == definitions.InputName(i) {
					return objects[key]
				}
			}
			return nil
		})
		if l == nil {
			continue
		}
		asked++
		got, err := l.ask()
		if err != nil {
			t.Errorf("%s: %v", q.ID(), err)
			continue
		}
		if got.exit != want.Exit || got.text != withoutInfo(want.Stderr) || want.Hash != "" && got.sum()[:16] != want.Hash {
			t.Errorf("%s: status %d, %q, image %.16s; nvlink %s has %d, %q, %s", q.ID(), got.exit, got.text, got.sum(), q.Release, want.Exit, want.Stderr, want.Hash)
		}
	}
	if asked < 10000/every {
		t.Errorf("only %d links", asked)
	}
}
