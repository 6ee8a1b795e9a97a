package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/selfcheck"
)

// TestLostTables wants words of a jump table that nvJitLink 12.9.86 left zero, since its definition of f5
// lost, to be no finding, and any other word of it, and zero in a table that is kept, to be one.
func TestLostTables(t *testing.T) {
	const stands, lost, words = 0, 0x20, 8
	data, err := os.ReadFile("testdata/links/lost_table.cubin")
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte, want selfcheck.Verdict) {
		t.Helper()
		r := selfcheck.Check("lost_table.cubin", data, selfcheck.Options{})
		if r.Verdict != want {
			t.Errorf("%s: %v, %v", what, r.Verdict, r.Findings)
		}
		if n := r.Unchecked["words of jump tables of discarded definitions, which links of 12.8 and 12.9 leave zero"]; want == selfcheck.Pass && n != words {
			t.Errorf("%s: %d words left alone", what, n)
		}
	}
	check("as it is", data, selfcheck.Pass)
	for k := range uint64(words) {
		check("another word", withWord(t, data, lost+4*k, 0x40), selfcheck.Fail)
		check("a word without its address", withWord(t, data, stands+4*k, 0), selfcheck.Fail)
	}
}

// withWord puts a word into constant bank 2 of both sides.
func withWord(t *testing.T, data []byte, off uint64, word uint32) []byte {
	t.Helper()
	f, err := cubin.Open("lost_table.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(data)
	for i := range f.NumSections() {
		s := f.Section(i)
		if name := f.SectionName(&s); name == ".nv.constant2.k0" || name == ".nv.merc.nv.constant.optimizer.k0" {
			binary.LittleEndian.PutUint32(other[s.Off+off:], word)
		}
	}
	return other
}
