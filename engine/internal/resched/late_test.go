package resched

import (
	"bytes"
	"testing"
)

// TestLate makes kernels of many blocks, as ptxas 13.5.37 compiled them from PTX made for
// this, what nvlink 13.5.37 makes of them, and promises only what its rules give back.
func TestLate(t *testing.T) {
	promised := 0
	eachPair(t, "late", func(file string, text, want []byte) {
		r := Kernel(text, Options{Late: true})
		if r.Lost != nil || !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other than nvlink's, lost %+v", file, r.Lost)
		}
		own, given, _ := ownChoices(split(text))
		if r.Exact && !(given && bytes.Equal(join(own), want)) {
			t.Errorf("%s: promised", file)
		}
		if r.Exact {
			promised++
		}
	})
	if promised != 3 {
		t.Errorf("%d are promised", promised)
	}
}

// sameInDoubt wants the code of a folder made as nvlink makes it, without a promise.
func sameInDoubt(t *testing.T, folder string, how Options) {
	t.Helper()
	eachPair(t, folder, func(file string, text, want []byte) {
		r := Kernel(text, how)
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
