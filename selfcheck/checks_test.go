package selfcheck_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

const checksFile = "testdata/checks.tsv"

var updateChecks = flag.Bool("checks", false, "write the findings of "+checksFile+" anew")

// recordedCheck is a line of testdata/checks.tsv: an object by ptxas or nvlink, an edit (corpus.Edit), and the verdict,
// the code and a sum of what the findings say.
type recordedCheck struct{ object, edit, want string }

func readChecks(t *testing.T) (list []recordedCheck) {
	t.Helper()
	text, err := os.ReadFile(checksFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("%q has no three fields", line)
		}
		list = append(list, recordedCheck{f[0], f[1], f[2]})
	}
	return list
}

// checked is what a check says of an object, "" of an edit that changes nothing.
func checked(name string, data []byte, edit string) string {
	bad := bytes.Clone(data)
	if corpus.Edit(bad, edit) != nil || bytes.Equal(bad, data) {
		return ""
	}
	r := selfcheck.Check(name, bad, selfcheck.Options{AllowUnknown: true})
	return fmt.Sprintf("%s\t%d\t%s", r.Verdict, r.Code(), sumOf(r.Findings))
}

// TestChecks wants of objects of ptxas and nvlink, each made wrong in one place, what is recorded: that there are findings,
// and each of them. The edits are those of thousands at random that told a fault in this package ("twinlink power
// --conditions"). What the objects are without an edit TestPass says.
//
//	go test ./selfcheck -run TestChecks -checks
func TestChecks(t *testing.T) {
	list, files := readChecks(t), filesOfCapsules(t)
	var b strings.Builder
	for i := range list {
		c := &list[i]
		got := checked(c.object, files[c.object], c.edit)
		fmt.Fprintf(&b, "%s\t%s\t%s\n", c.object, c.edit, got)
		if !strings.HasPrefix(got, selfcheck.Fail.String()+"\t") {
			t.Errorf("%s: %s: %q, want findings", c.object, c.edit, got)
		} else if got != c.want && !*updateChecks {
			t.Errorf("%s: %s: %q, recorded %q", c.object, c.edit, got, c.want)
		}
	}
	if len(list) == 0 {
		t.Error("no check")
	}
	if *updateChecks {
		if err := os.WriteFile(checksFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func filesOfCapsules(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	capsules(t, func(c *corpus.Capsule, data []byte) { files[c.Name] = data })
	return files
}
