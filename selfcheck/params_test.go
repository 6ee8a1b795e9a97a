package selfcheck_test

import (
	"os"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// The size of a parameter beside one of more than 4,096 bytes is before what it
// points to. The object is of ptxas 13.0.88, from testdata/pointers.ptx.
func TestSizeOfPointer(t *testing.T) {
	data, err := os.ReadFile("testdata/pointers-13.0-sm_100.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("pointers", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("%s: %s", r.Verdict, first(r))
	}
}
