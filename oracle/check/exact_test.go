package check

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// TestExact makes links of nvlink wrong in one place each, by the edits in testdata/exact.tsv, and wants the finding that
// says so: its kind and parts of its text. TestRejectsDefects is content with any finding that tells of a defect; here a
// check that is omitted shows even where another one would see the same defect.
func TestExact(t *testing.T) {
	text, err := os.ReadFile("testdata/exact.tsv")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]corpus.Case{}
	for _, c := range slices.Concat(linkedCases(t), mercuryCases(t)) {
		cases[c.ID()] = c
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("%q has %d fields, want 4", line, len(f))
		}
		c, ok := cases[f[0]]
		if !ok {
			t.Errorf("no link %s", f[0])
			continue
		}
		v, err := checkChanged(c, f[1])
		if err != nil {
			t.Errorf("%s: %v", f[0], err)
			continue
		}
		if !slices.ContainsFunc(v.Findings, func(g Finding) bool {
			said := g.String()
			return g.Kind.String() == f[2] && !slices.ContainsFunc(strings.Split(f[3], " | "), func(part string) bool { return !strings.Contains(said, part) })
		}) {
			t.Errorf("%s: %s: no %s %s among\n%s", f[0], f[1], f[2], f[3], v)
		}
	}
}

// checkChanged checks strictly a link to which edits are made, with ; between them.
func checkChanged(c corpus.Case, edits string) (Verdict, error) {
	inputs, out := inputsOf(c), bytes.Clone(c.Output)
	for one := range strings.SplitSeq(edits, ";") {
		var err error
		if inputs, err = change(inputs, out, strings.TrimSpace(one)); err != nil {
			return Verdict{}, err
		}
	}
	o := optionsOf(c)
	o.Strict = true
	return Check(inputs, out, o), nil
}

// change makes one edit of an output, "input 1 EDIT" of an input, or "without 1", of the list of inputs.
func change(inputs []Input, out []byte, text string) ([]Input, error) {
	w := strings.SplitN(text, " ", 3)
	i := 0
	if w[0] == "without" || w[0] == "input" {
		var err error
		if i, err = strconv.Atoi(w[1]); err != nil || i >= len(inputs) {
			return nil, strconv.ErrRange
		}
	}
	switch w[0] {
	case "without":
		return slices.Delete(inputs, i, i+1), nil
	case "input":
		inputs[i].Data = bytes.Clone(inputs[i].Data)
		return inputs, corpus.Edit(inputs[i].Data, w[2])
	}
	return inputs, corpus.Edit(out, text)
}
