package selfcheck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

var leftUnchecked = map[string]int{
	"FRAME_SIZE of a function inside a kernel":                                                         19,
	"attributes 103, 107 and 109 of releases 13.3 and up":                                              776,
	"debug data of weak functions that a link replaced":                                                6,
	"frame instructions inside macros":                                                                 7,
	"lines of instructions that sm_110 encodes differently":                                            1,
	"register ranges in functions with macros that take registers":                                     1,
	"register ranges of functions that a link removed":                                                 14,
	"size of a unified function's stub":                                                                7,
	"the only instruction of a frame, of a short function inside a kernel or one that repeats the CIE": 15,
	"value of EIATTR_SW_WAR: 0 or 8":                                                                   782,
}

// TestUnchecked wants no more left unchecked in objects and images of ptxas and nvlink 13.0 and 13.5 than is known, and
// all of that told. A smaller number is no defect, but has to be put here.
func TestUnchecked(t *testing.T) {
	got := map[string]int{}
	capsules(t, func(c *corpus.Capsule, data []byte) {
		for what, n := range selfcheck.Check(c.Name, data, selfcheck.Options{}).Unchecked {
			got[what] += n
		}
	})
	if diff := cmp.Diff(leftUnchecked, got); diff != "" {
		t.Error(diff)
	}
}
