package selfcheck_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

var (
	seekFrom = flag.Uint64("seek-from", 0, "number of the first edit of TestSeek")
	seekTo   = flag.Uint64("seek-to", 0, "number behind the last")
)

// TestSeek prints what is found in objects edited at random, one a line, for "twinlink power --seek-to": an edit of which
// something else is found with a planted fault is, with what should be found, a line of testdata/exact.tsv.
func TestSeek(t *testing.T) {
	if *seekTo <= *seekFrom {
		t.Skip("no edit (-seek-from, -seek-to)")
	}
	type object struct {
		name string
		data []byte
	}
	var list []object
	capsules(t, func(c *corpus.Capsule, data []byte) { list = append(list, object{c.Name, data}) })
	for n := *seekFrom; n < *seekTo; n++ {
		r := rand.New(rand.NewPCG(n, 2))
		o := list[r.IntN(len(list))]
		data := bytes.Clone(o.data)
		text := corpus.RandomEdit(data, r)
		if corpus.Edit(data, text) != nil || bytes.Equal(data, o.data) {
			continue
		}
		report := selfcheck.Check(o.name, data, selfcheck.Options{AllowUnknown: true})
		var b strings.Builder
		for i := range report.Findings {
			f := &report.Findings[i]
			fmt.Fprintf(&b, " | %s %s %s %s", f.Kind, f.Aspect, f.Section, f.Detail())
		}
		fmt.Fprintf(os.Stdout, "question %s: %s;%s %d%s\n", o.name, text, report.Verdict, len(report.Unknown), strings.ReplaceAll(b.String(), "\n", " "))
	}
}
