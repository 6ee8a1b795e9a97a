package selfcheck_test

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/selfcheck"
)

const checksFile = "testdata/checks.tsv"

var updateChecks = flag.Bool("checks", false, "write the findings of "+checksFile+" anew")

// saidOf is the verdict on an object, the code, and a sum of what the report says and of the file that is put right.
func saidOf(name string, data []byte) string {
	r, again, err := selfcheck.Reconstitute(name, data, selfcheck.Options{AllowUnknown: true})
	return fmt.Sprintf("%s\t%d\t%s", r.Verdict, r.Code(), sumOf(r, again, err))
}

// checked is saidOf an edited object, "" of an edit that changes nothing.
func checked(name string, data []byte, edit string) string {
	bad := bytes.Clone(data)
	if corpus.Edit(bad, edit) != nil || bytes.Equal(bad, data) {
		return ""
	}
	return saidOf(name, bad)
}

// TestChecks wants of objects of ptxas and nvlink, each made wrong in one place, what is recorded: that there are findings,
// and each of them. The edits are those of thousands at random that told a fault in this package ("twinlink power
// --conditions"). What the objects are without an edit TestPass says.
//
//	go test ./selfcheck -run TestChecks -checks
func TestChecks(t *testing.T) {
	files := filesOfCapsules(t)
	corpustest.RunChecks(t, checksFile, *updateChecks, func(c *corpustest.Check) string { return checked(c.Subject, files[c.Subject], c.Edit) },
		func(said string) bool { return strings.HasPrefix(said, selfcheck.Fail.String()+"\t") })
}

func filesOfCapsules(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	capsules(t, func(c *corpus.Capsule, data []byte) { files[c.Name] = data })
	return files
}
