package resched

import "testing"

// TestDoubleStalls makes code with doubles that ptxas 13.0.88 compiled for sm_100 from PTX made for this
// what nvlink 13.5.37 makes of it: a chain of sums of which each waits for what it reads from shared
// memory (chain), sources that another block overwrites (apart), that the other arm of a guard does
// (paths), and the stall of a branch after a double (last).
func TestDoubleStalls(t *testing.T) {
	how := Options{Late: true, Anew: true, Pads: true, HoldsDoubles: true, JoinsMoves: true, LeavesLast: true}
	eachPair(t, "anewdoubles", func(file string, text, want []byte) {
		r := Kernel(text, how)
		if r.Lost != nil || !r.Foreseen || !sameUpper(r.Text, want) {
			t.Errorf("%s: other than nvlink's, or not promised; lost %+v", file, r.Lost)
		}
	})
}
