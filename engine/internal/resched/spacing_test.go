package resched

import "testing"

// TestSetApart makes code that ptxas 13.0.88 compiled for sm_120 from sources made for this what nvlink
// 13.5.37 makes of it: conversions after floats (angles), what IADD.64 keeps at hand beside IADD (rows),
// choices by what compares pairs (picks, steps), and BSSYs after a BAR in loops whose first block waits for what comes around them (rounds, sorted).
func TestSetApart(t *testing.T) {
	how := Options{Late: true, Anew: true, Pads: true, Adds: true, JoinsMoves: true, LeavesLast: true, Unpaces: true}
	eachPair(t, "set120", func(file string, text, want []byte) {
		each := how
		each.Fillers = FillersOf(text)
		each.Gone = each.Fillers
		r := Kernel(text, each)
		if r.Lost != nil || r.Foreseen || !sameUpper(r.Text, want) {
			t.Errorf("%s: other than nvlink's, or promised; lost %+v", file, r.Lost)
		}
	})
}
