package resched

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLeaving gives out scoreboards that are pending at a branch by a uniform register, whose targets are
// told, and at a return: functions of testdata/leaving/leave.ptx by ptxas 13.0.88, as nvlink 13.5.37
// makes them for sm_100 and sm_120.
func TestLeaving(t *testing.T) {
	jumps := map[string]Jumps{"uniform": {14: {15, 19, 22, 26}}, "pending": {12: {13, 17, 20, 24}}} // INDIRECT_BRANCH_TARGETS
	eachPair(t, "leaving", func(file string, text, want []byte) {
		name := strings.TrimSuffix(filepath.Base(file), ".ptxas")
		function, is100 := strings.CutSuffix(name, "100")
		function = strings.TrimSuffix(function, "120")
		how := Options{Anew: true, Late: true, Pads: true, JoinsMoves: true, Bares: true, LeavesLast: true, Unpaced: true,
			HoldsDoubles: is100, Adds: !is100, Unpaces: !is100, Stays: function == "returns", Jumps: jumps[function]}
		if r := Kernel(text, how); r.Lost != nil || sameUpper(text, want) || !sameUpper(r.Text, want) {
			t.Errorf("%s: other than nvlink's, lost %+v", name, r.Lost)
		}
		for at := range how.Jumps {
			if o := split(text)[at].operands(); !slices.Contains(o.reads, span{uniformFile + int(split(text)[at].field(aField, 8)), 2}) {
				t.Errorf("%s: BRXU reads %v, not two uniform registers", name, o.reads)
			}
		}
	})
}
