package fuzz

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/fuzz/reduce"
)

// Divergence is a case on which two witnesses part, or one breaks its word.
type Divergence struct {
	Key    string // what the case is about, the same for like cases: "R_CUDA_32-rela"
	What   string // what is wrong, one line
	Traces []Trace
	Link   *reduce.Case // nil where the case is no link
}

// Trace is how one witness got where it is.
type Trace struct {
	Witness string
	Text    string
}

// Error returns the whole story.
func (d *Divergence) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", d.Key, d.What)
	for _, t := range d.Traces {
		fmt.Fprintf(&b, "--- %s\n%s\n", t.Witness, strings.TrimRight(t.Text, "\n"))
	}
	return b.String()
}
