package selfcheck_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

var updateBytes = flag.Bool("bytes", false, "write testdata/bytes.tsv anew")

// TestEveryByte changes every byte of small objects alone and wants the places that no finding tells to be those of
// testdata/bytes.tsv: a check that goes makes them more, one that comes fewer. Half of a file's bytes are code, where
// nodes of unknown form keep a change from being judged.
//
//	go test ./selfcheck -run TestEveryByte -bytes
func TestEveryByte(t *testing.T) {
	const name = "testdata/bytes.tsv"
	var b strings.Builder
	b.WriteString("# Bytes of small objects whose change has no finding: file, places (TestEveryByte)\n")
	want := map[string]string{}
	if text, err := os.ReadFile(name); err == nil {
		for line := range strings.Lines(string(text)) {
			file, places, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			want[file] = places
		}
	}
	files, bytes := 0, 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		places, listed := want[c.Name]
		if len(data) > 6000 || !listed && !*updateBytes || testing.Short() && bytes > 12000 && !*updateBytes {
			return
		}
		check := func(data []byte) *selfcheck.Report {
			return selfcheck.Check(c.Name, data, selfcheck.Options{AllowUnknown: true, Limit: 1})
		}
		if r := check(data); len(r.Findings) > 0 {
			return
		}
		files, bytes = files+1, bytes+len(data)
		got := corpus.Unseen(data, 1, func(changed []byte) bool {
			r := check(changed)
			return len(r.Findings)+r.More > 0 || r.Verdict == selfcheck.Refused
		})
		fmt.Fprintf(&b, "%s\t%s\n", c.Name, got)
		if !*updateBytes && got != places {
			t.Errorf("%s: nothing tells a change of %s; listed %s", c.Name, got, places)
		}
	})
	if files < 3 {
		t.Errorf("%d objects", files)
	}
	if *updateBytes {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
