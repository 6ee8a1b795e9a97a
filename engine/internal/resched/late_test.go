package resched

import (
	"bytes"
	"testing"
)

// TestLate makes kernels of many blocks, as ptxas 13.5.37 compiled them from PTX made for
// this, what nvlink 13.5.37 makes of them; but promises nothing, for it isn't always so.
func TestLate(t *testing.T) {
	eachPair(t, "late", func(file string, text, want []byte) {
		r := Kernel(text, Options{Late: true})
		if r.Lost != nil {
			t.Errorf("%s: lost %+v", file, r.Lost)
		}
		if r.Exact {
			t.Errorf("%s: no doubt", file)
		}
		if !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other than nvlink's", file)
		}
	})
}
