package selfcheck_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// TestInnerStack wants a program of ptxas 13.0 (of alone/inner.ptx) to pass in which a function inside a kernel has that
// kernel's frame for its smallest stack on the SASS side, and none on the other. Another number there is found.
func TestInnerStack(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/inner-13.0-sm_120.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("inner", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
	at := bytes.Index(data, []byte{4, 0x12, 8, 0, 7, 0, 0, 0, 0, 2, 0, 0})
	if at < 0 {
		t.Fatal("no MIN_STACK_SIZE")
	}
	wrong := bytes.Clone(data)
	wrong[at+9] = 1
	if r := selfcheck.Check("inner", wrong, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("256 bytes: %v", r.Verdict)
	}
}
