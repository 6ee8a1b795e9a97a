package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/answers"
)

var (
	seekFrom = flag.Uint64("seek-from", 0, "number of the first question of TestSeek")
	seekTo   = flag.Uint64("seek-to", 0, "number behind the last")
)

// TestSeek prints what the command line makes of questions of each kind, a sum a line. Two programs that differ in a
// line are distinguished by that question: so "twinlink power --seek" finds the question that a planted fault is found by.
// Put to nvlink (TestAnswers -add), it is a test.
func TestSeek(t *testing.T) {
	if *seekTo <= *seekFrom {
		t.Skip("no question (-seek-from, -seek-to)")
	}
	t.Chdir(t.TempDir())
	for n := *seekFrom; n < *seekTo; n++ {
		for i := range fuzz.Kinds {
			k := &fuzz.Kinds[i]
			q, err := k.Question(n)
			if err != nil {
				t.Fatal(err)
			}
			r := ours(t, &q)
			fmt.Fprintf(os.Stdout, "question %s:%d; %d %s %s\n", k.Name, n, r.exit, answers.Sum(r.image), answers.Sum([]byte(r.text)))
		}
	}
}
