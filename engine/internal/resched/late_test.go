package resched

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestLate makes kernels of many blocks, as ptxas 13.5.37 compiled them from PTX made for
// this, what nvlink 13.5.37 makes of them, and promises only what its rules reproduce.
func TestLate(t *testing.T) {
	promised := 0
	eachPair(t, "late", func(file string, text, want []byte) {
		r := Kernel(text, Options{Late: true})
		if r.Lost != nil || !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other than nvlink's, lost %+v", file, r.Lost)
		}
		own, given, _ := ownChoices(split(text), Options{})
		if r.Exact && !(given && bytes.Equal(join(own), want)) {
			t.Errorf("%s: promised", file)
		}
		if r.Exact {
			promised++
		}
	})
	if promised != 5 {
		t.Errorf("%d are promised", promised)
	}
}

// TestOwn makes and promises kernels whose own scoreboards the rules reproduce. ptxas 13.5.37 compiled
// them from PTX made for this, nvlink 13.5.37 linked them.
func TestOwn(t *testing.T) {
	eachPair(t, "own", func(file string, text, want []byte) {
		if r := Kernel(text, Options{Late: true}); r.Lost != nil || !r.Exact || !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other than nvlink's, or a doubt; lost %+v", file, r.Lost)
		}
	})
}

// TestGivenBack gives the scoreboards of kernels back, with results that go beyond their block where none
// is free. ptxas 13.5.37 compiled them for sm_100 and sm_120 from PTX made for this.
func TestGivenBack(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		text, err := os.ReadFile(filepath.Join("testdata", "given", name+".ptxas"))
		if err != nil {
			t.Fatal(err)
		}
		if _, given, crowded := ownChoices(split(text), Options{}); !given || !crowded {
			t.Errorf("%s: given back %v, crowded %v", name, given, crowded)
		}
	}
}

// TestWaitingYield promises nothing of a kernel whose YIELD waits, though its scoreboards are given back:
// another such one came out otherwise by nvlink 13.5.37.
func TestWaitingYield(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "given", "rounds.ptxas"))
	if err != nil {
		t.Fatal(err)
	}
	if _, given, crowded := ownChoices(split(text), Options{}); !given || crowded {
		t.Error("not given back")
	}
	if r := Kernel(text, Options{Late: true}); r.Exact {
		t.Error("promised")
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
