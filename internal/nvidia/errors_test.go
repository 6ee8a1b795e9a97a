package nvidia_test

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// What an unfit file's error says, with what the system said or without.
func TestUnfit(t *testing.T) {
	cause := errors.New("cause")
	for want, e := range map[string]*nvidia.UnfitError{"p: r: cause": {Path: "p", Reason: "r", Err: cause}, "p: r": {Path: "p", Reason: "r"}} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}
