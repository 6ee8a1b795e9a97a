package release

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Target is the architecture a link is for.
type Target struct {
	Name        string // as given: sm_90a
	SM          cuda.SM
	Accelerated bool // the "a"
	Family      bool // the "f"
}

// ParseTarget reads sm_NN, sm_NNa, sm_NNf.
func ParseTarget(name string) (Target, bool) {
	t := Target{Name: name}
	digits, ok := strings.CutPrefix(name, "sm_")
	if !ok {
		return t, false
	}
	switch {
	case len(digits) > 0 && digits[len(digits)-1] == 'a':
		t.Accelerated = true
		digits = digits[:len(digits)-1]
	case len(digits) > 0 && digits[len(digits)-1] == 'f':
		t.Family = true
		digits = digits[:len(digits)-1]
	}
	if len(digits) < 2 || len(digits) > 3 {
		return t, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return t, false
		}
		t.SM = t.SM*10 + cuda.SM(c-'0')
	}
	return t, true
}

// LeavesUnplaced reports whether a variable in shared memory may stay without a place, as every
// release has it for sm_90.
func (t Target) LeavesUnplaced() bool { return t.SM == 90 }
