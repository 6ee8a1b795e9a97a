package resched

import (
	"bytes"
	"testing"
)

// TestAnew makes code that ptxas 13.0.88 compiled from PTX made for this what nvlink 13.5.37
// makes of it; but promises nothing, for it isn't always so.
func TestAnew(t *testing.T) {
	eachPair(t, "anew", func(file string, text, want []byte) {
		r := Kernel(text, Options{Anew: true, Pads: true, HoldsDoubles: true})
		if r.Lost != nil {
			t.Errorf("%s: lost %+v", file, r.Lost)
		}
		if r.Exact {
			t.Errorf("%s: no doubt", file)
		}
		got, theirs := split(r.Text), split(want)
		for i := range theirs {
			if i >= len(got) || got[i] != theirs[i] {
				t.Errorf("%s: other at %#x", file, i*WordSize)
				break
			}
		}
		if bytes.Equal(text, want) {
			t.Errorf("%s: nvlink changes nothing", file)
		}
	})
}
