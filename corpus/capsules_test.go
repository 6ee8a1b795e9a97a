package corpus_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

func capsules(t *testing.T) []corpus.Capsule {
	t.Helper()
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The archive holds what the manifest says.
func TestArchive(t *testing.T) {
	list := capsules(t)
	if len(list) < 150 {
		t.Errorf("%d files, want 150 or more", len(list))
	}
	for i := range list {
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != list[i].SHA256 {
			t.Errorf("%s: not the file of the manifest", list[i].Name)
		}
	}
}

// All targets, ways to compile and features are there.
func TestCapsuleCoverage(t *testing.T) {
	have := map[string]bool{}
	for _, c := range capsules(t) {
		have[c.Arch], have[c.Release] = true, true
		for _, f := range append(c.Flags, c.Features...) {
			have[f] = true
		}
		if c.Linked() {
			have["linked "+c.Release] = true
		}
	}
	for sm := range strings.FieldsSeq("100 103 110 120 121") {
		for suffix := range strings.FieldsSeq("- a f") {
			if arch := "sm_" + sm + strings.TrimPrefix(suffix, "-"); !have[arch] {
				t.Errorf("nothing for %s", arch)
			}
		}
	}
	for what := range strings.FieldsSeq("-g -lineinfo -O0 -O1 -ewp -c -r --preserve-relocs mma tcgen05 TMA cluster mbarrier texture surface call recursion jump-table virtual-function") {
		if !have[what] {
			t.Errorf("nothing with %s", what)
		}
	}
	if !have["linked 13.0"] || !have["linked 13.5"] {
		t.Error("not linked by both releases")
	}
}
