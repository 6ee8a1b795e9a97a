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
