package fuzz

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// What -Werror makes of a command line's warning is a refusal, as it is nvlink's.
func TestWarningsAsErrors(t *testing.T) {
	q := Question{Release: "13.0", Args: []string{"-arch=sm_100", "--preserve-relocs", "-Werror"}, Inputs: []engine.Input{{Name: "a.cubin", Data: []byte("x")}}}
	if _, err := q.Link(); !errors.As(err, new(*cmdline.Refusal)) {
		t.Errorf("%v", err)
	}
	q.Args = q.Args[:2]
	if _, err := q.Link(); errors.As(err, new(*cmdline.Refusal)) {
		t.Errorf("without -Werror: %v", err)
	}
}

// So is what -Werror makes of a link's warning that nvlink has, and not of one that it hasn't.
func TestFailsByWarning(t *testing.T) {
	stack, own := engine.Diagnostic{Severity: engine.Warning, Kind: engine.StackUnknown}, engine.Diagnostic{Severity: engine.Warning, Kind: engine.Rescheduled}
	for _, c := range []struct {
		args []string
		d    engine.Diagnostic
		want bool
	}{
		{[]string{"-Werror"}, stack, true}, {[]string{"-Werror"}, own, false}, {[]string{"-Werror", "-w"}, stack, false}, {[]string{"-g"}, stack, false},
	} {
		q := Question{Args: c.args}
		if got := q.failsByWarning([]engine.Diagnostic{c.d}); got != c.want {
			t.Errorf("%v, kind %d: %v", c.args, c.d.Kind, got)
		}
	}
}
