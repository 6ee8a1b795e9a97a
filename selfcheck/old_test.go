package selfcheck_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// TestOldCompat wants an object of ptxas 12.9 (of sync.ptx, for sm_100) to pass, and one that has
// an attribute or a value in .nv.compat that none was seen to have to be incomplete.
func TestOldCompat(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("sync", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("%v: %v, not known: %v", r.Verdict, r.Findings, r.Unknown)
	}
	compat := []byte{2, 2, 1, 0, 2, 5, 5, 0, 2, 3, 0, 0, 2, 6, 1, 0}
	at := bytes.Index(data, compat)
	if at < 0 {
		t.Fatal("no .nv.compat")
	}
	for k, value := range map[int]byte{1: 77, 2: 2, 5: 77, 6: 77, 10: 77, 14: 77} {
		other := bytes.Clone(data)
		other[at+k] = value
		if r := selfcheck.Check("sync", other, selfcheck.Options{}); r.Verdict != selfcheck.Incomplete {
			t.Errorf("byte %d: %v", k, r.Verdict)
		}
	}
}

// TestOldFlags wants the bit of e_flags that 12.8 and 12.9 set for sm_100a found in an object for sm_100.
func TestOldFlags(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	data[48] ^= 8
	if r := selfcheck.Check("sync", data, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("%v", r.Verdict)
	}
}

// TestUnreadRelease wants a file of 12.7, whose capsules nobody reads, refused by that name.
func TestUnreadRelease(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(data, []byte("release 12.9,"), []byte("release 12.7,"), 1)
	if bytes.Equal(data, other) {
		t.Fatal("no release")
	}
	if r := selfcheck.Check("sync", other, selfcheck.Options{}); r.Verdict != selfcheck.Refused || !strings.Contains(r.Err.Error(), "12.7") {
		t.Errorf("%v: %v", r.Verdict, r.Err)
	}
}
