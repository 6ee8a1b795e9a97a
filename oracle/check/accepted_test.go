package check

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

var updateAccepted = flag.Bool("update", false, "write testdata/accepted.tsv anew; a reason that isn't known is ?")

// editedLinks is how many links are edited.
const editedLinks = 2500

// edited makes wrong link n: the corpus's, its options, the inputs that the check gets and what was done.
func edited(cases []corpus.Case, n uint64) (c corpus.Case, inputs []Input, out []byte, text string, ok bool) {
	r := rand.New(rand.NewPCG(n, 1))
	c = cases[r.IntN(len(cases))]
	out, inputs = bytes.Clone(c.Output), inputsOf(c)
	if i := r.IntN(40); i < len(inputs) && len(inputs) > 1 {
		return c, slices.Delete(inputs, i, i+1), out, fmt.Sprint("without ", i), true
	}
	text = corpus.RandomEdit(out, r)
	return c, inputs, out, text, corpus.Edit(out, text) == nil && !bytes.Equal(out, c.Output)
}

// editable are the links that are edited: some of all releases.
func editable(t testing.TB) []corpus.Case {
	var cases []corpus.Case
	for i, c := range linkedCases(t) {
		if i%7 == 0 || optionsOf(c).PreserveRelocs {
			cases = append(cases, c)
		}
	}
	return append(cases, mercuryCases(t)...)
}

// inNames reports whether an edit is one of bytes of names: a name that nothing has may be any.
func inNames(out []byte, text string) bool {
	w := strings.Fields(text)
	if w[0] != "byte" && w[0] != "word" {
		return false
	}
	n, err := strconv.ParseUint(w[1], 10, 64)
	at := image.Number(out, 40, 8) + 64*n + 4
	return err == nil && image.Number(out, at, 4) == 3 // SHT_STRTAB
}

// TestEdited makes links of nvlink wrong at random. A link is made wrong by nearly every byte of it that changes: those
// that are accepted still are in testdata/accepted.tsv, each with the reason.
func TestEdited(t *testing.T) {
	text, err := os.ReadFile("testdata/accepted.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line[0] != '#' {
			name, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			want[name] = reason
		}
	}
	cases := editable(t)
	got := "# Edits of nvlink's links that are accepted all the same (TestEdited), and why\n"
	made := 0
	for n := range uint64(editedLinks) {
		c, inputs, out, text, ok := edited(cases, n)
		if !ok || inNames(c.Output, text) {
			continue
		}
		made++
		o := optionsOf(c)
		o.Strict = true
		name := c.ID() + ": " + text
		v := Check(inputs, out, o)
		reason, known := want[name]
		if v.Agrees() != known && !*updateAccepted {
			t.Errorf("%s: %s, listed %v", name, v.Outcome(), known)
		}
		if v.Agrees() {
			if !known {
				reason = "?"
			}
			got += name + "\t" + reason + "\n"
		}
	}
	if made < editedLinks*3/4 {
		t.Errorf("only %d of %d links could be edited", made, editedLinks)
	}
	if *updateAccepted {
		if err := os.WriteFile("testdata/accepted.tsv", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(string(text), "\t?\n") {
		t.Error("a line of accepted.tsv has no reason")
	}
}
