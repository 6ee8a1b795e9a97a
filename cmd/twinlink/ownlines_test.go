package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

var updateOwnLines = flag.Bool("update-ownlines", false, "write testdata/ownlines.txt anew")

// TestOwnLines wants of the recorded links the lines that nvlink doesn't have: comparisons with nvlink leave them out. A link
// without any is listed as quiet; one that is not listed yet is an error with TWINLINK_EXACT=1 alone.
func TestOwnLines(t *testing.T) {
	var cases []corpus.Case
	for _, read := range []func() ([]corpus.Case, error){corpus.Cases, programsOf(corpus.Mercury), programsOf(corpus.Behaviours)} {
		list, err := read()
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, list...)
	}
	file, err := filepath.Abs("testdata/ownlines.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var got []string
	for i := range cases {
		c := &cases[i]
		if !c.Complete() {
			continue
		}
		for _, in := range c.Inputs {
			write(t, in.Name, string(in.Data))
		}
		var stdout, stderr bytes.Buffer
		run(append([]string{"nvlink", "-toolkit=" + c.Release}, c.Args...), streams{&stdout, &stderr})
		before := len(got)
		for _, line := range ownwarnings.Lines(stderr.String()) {
			got = append(got, fmt.Sprintf("%s: %s", c.ID(), line))
		}
		if len(got) == before {
			got = append(got, c.ID()+": quiet\n")
		}
	}
	if *updateOwnLines {
		if err := os.WriteFile(file, []byte(strings.Join(got, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(strings.Lines(string(text)))
	listed := map[string]bool{}
	for _, line := range want {
		id, _, _ := strings.Cut(line, ":")
		listed[id] = true
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("not said any more: %s", line)
		}
	}
	for _, line := range got {
		id, _, _ := strings.Cut(line, ":")
		if !slices.Contains(want, line) && (listed[id] || os.Getenv("TWINLINK_EXACT") != "") {
			t.Errorf("said now: %s", line)
		}
	}
	if len(want) < 20 {
		t.Errorf("%d lines", len(want))
	}
}

func programsOf(read func() ([]corpus.Program, error)) func() ([]corpus.Case, error) {
	return func() (list []corpus.Case, err error) {
		programs, err := read()
		for _, p := range programs {
			list = append(list, p.Cases...)
		}
		return list, err
	}
}
