package check

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var (
	seekFrom = flag.Uint64("seek-from", 0, "number of the first edit of TestSeek")
	seekTo   = flag.Uint64("seek-to", 0, "number behind the last")
)

// TestSeek prints what is found in links edited at random, one a line. Two programs that differ in a line are distinguished
// by that edit: so "twinlink power --seek-to" finds the edit that a planted fault is found by. With what should be found
// it is a line of testdata/exact.tsv.
func TestSeek(t *testing.T) {
	if *seekTo <= *seekFrom {
		t.Skip("no edit (-seek-from, -seek-to)")
	}
	cases := editable(t)
	for n := *seekFrom; n < *seekTo; n++ {
		c, inputs, out, text, ok := edited(cases, n)
		if !ok {
			continue
		}
		o := optionsOf(c)
		o.Strict = true
		v := Check(inputs, out, o)
		var b strings.Builder
		for _, f := range v.Findings {
			fmt.Fprintf(&b, " | %s", f)
		}
		for _, f := range v.Unjudged {
			fmt.Fprintf(&b, " | unjudged %s", f)
		}
		if v.Refusal != nil {
			fmt.Fprintf(&b, " | refused %s", v.Refusal)
		}
		fmt.Fprintf(os.Stdout, "question %s: %s;%s\n", c.ID(), text, strings.ReplaceAll(b.String(), "\n", " "))
	}
}
