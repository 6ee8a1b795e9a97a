package selfcheck_test

import (
	"maps"
	"os"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// TestPolicy wants nothing wrong with a program of ptxas 13.0.88, from testdata/policy.ptx, that copies to shared
// memory with a cache policy: such a record has 48 bytes, and lines, symbols and exits behind it count them.
func TestPolicy(t *testing.T) {
	data, err := os.ReadFile("testdata/policy-13.0.cubin")
	if err != nil {
		t.Fatal(err)
	}
	r := selfcheck.Check("policy", data, selfcheck.Options{})
	if r.Verdict != selfcheck.Incomplete || !maps.Equal(r.Forms, map[string]int{"0323324c/4 form": 1, "0323324c/1 form": 1}) {
		t.Errorf("%v: %v, unknown %v", r.Verdict, r.Findings, r.Forms)
	}
}
