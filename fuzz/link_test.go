package fuzz

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/engine"
)

// The command that is saved with a link has the options that the engine was given.
func TestLinkHasItsCommand(t *testing.T) {
	told := 0
	for n := range uint64(600) {
		l, err := Mutant(n)
		if err != nil {
			t.Fatal(err)
		}
		if l.args == nil {
			continue
		}
		told++
		q := Question{Release: l.release, Args: l.args, Inputs: l.Inputs}
		got, err := q.options(q.Command(l.Options.Output))
		if err != nil {
			t.Fatalf("%d: %s %v: %v", n, l.release, l.args, err)
		}
		got.Record, l.Options.Record = engine.Options{}.Record, engine.Options{}.Record
		if d := cmp.Diff(l.Options, got); d != "" {
			t.Errorf("%d: %s %v:\n%s", n, l.release, l.args, d)
		}
	}
	if told < 400 {
		t.Errorf("%d of 600 links have a command", told)
	}
}
