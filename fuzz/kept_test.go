package fuzz

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus"
)

var updateKept = flag.Bool("update-kept", false, "write testdata/kept.tsv anew")

// keptFiles are what generators change here: of both kinds of header, with relocations, debug information and capsules.
var keptFiles = []string{
	"../internal/dump/testdata/11.8-sm_52-a.cubin", "../internal/dump/testdata/13.0-sm_90-linked.cubin",
	"../corpus/testdata/links/cxx_lineinfo/13.0-sm_90/a.cubin", "../corpus/testdata/mercury/alias/13.0-sm_100-lineinfo/a.cubin",
}

// keptGenerators are those whose cases don't depend on how many links are recorded. Each makes a case of bytes and writes all
// of it.
func keptGenerators(t *testing.T) map[string]func(h hash.Hash, r *Reader) {
	t.Helper()
	var files [][]byte
	c := corpus.Case{Program: "p", Name: "n", Release: "13.0", Args: []string{"-arch=sm_90", "-g", "a", "b", "c", "-o", "out"}}
	for i, name := range keptFiles {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
		c.Inputs = append(c.Inputs, corpus.Input{Name: string(rune('a' + i)), Data: data})
	}
	question := func(h hash.Hash, q Question) {
		fmt.Fprintf(h, "%s %q %q %q", q.Release, q.Args, q.Final, q.From)
		for _, in := range q.Inputs {
			fmt.Fprintf(h, "%s %x", in.Name, sha256.Sum256(in.Data))
		}
	}
	list := map[string]func(h hash.Hash, r *Reader){
		"relocation": func(h hash.Hash, r *Reader) { fmt.Fprintf(h, "%+v", ReadRelocation(r)) },
		"written": func(h hash.Hash, r *Reader) {
			c := ReadRelocation(r)
			var w Writer
			c.Write(&w)
			fmt.Fprintf(h, "%x", w.Input())
		},
		"descriptor": func(h hash.Hash, r *Reader) { fmt.Fprintf(h, "%+v", ReadProgram(r)) },
		"commandline": func(h hash.Hash, r *Reader) {
			c := ReadCommandLine(r)
			fmt.Fprintf(h, "%v %q %q", c.Release, c.Args, c.Files)
		},
		"option":      func(h hash.Hash, r *Reader) { fmt.Fprintf(h, "%q", optionWord(r)) },
		"metamorphic": func(h hash.Hash, r *Reader) { l := ReadMetamorphic(r); question(h, questionOf(&l)) },
		"objects": func(h hash.Hash, r *Reader) {
			q, err := readObjects(r)
			if err != nil {
				t.Fatal(err)
			}
			question(h, q)
		},
		"edits":  func(h hash.Hash, r *Reader) { question(h, editsOf(&c, r)) },
		"limits": func(h hash.Hash, r *Reader) { question(h, limitsOf(&c, r)) },
		"fields": func(h hash.Hash, r *Reader) { question(h, fieldsOf(&c, r)) },
		"parts":  func(h hash.Hash, r *Reader) { question(h, partsOf(&c, r)) },
		"sides":  func(h hash.Hash, r *Reader) { question(h, sidesOf(&c, r)) },
		"spread": func(h hash.Hash, r *Reader) { c := ReadRelocation(r); fmt.Fprintf(h, "%+v", *c.Spread()) },
	}
	for name, change := range map[string]func(*Reader, []byte) []byte{"mutate": Mutate, "setLimits": setLimits, "changeField": changeField} {
		list[name] = func(h hash.Hash, r *Reader) {
			for _, data := range files {
				_, _ = h.Write(change(r, data))
			}
		}
	}
	return list
}

// What a generator makes of bytes it makes of them tomorrow: seeds and what fuzzing saved are bytes, and stand for a case.
// Whoever changes a generator sees here that they stand for another now:
//
//	go test ./fuzz -run TestKept -update-kept
func TestKept(t *testing.T) {
	const cases, parts = 200, 8
	var got strings.Builder
	generators := keptGenerators(t)
	for _, name := range slices.Sorted(maps.Keys(generators)) {
		fmt.Fprint(&got, name)
		for part := range uint64(parts) {
			h := sha256.New()
			for n := range uint64(cases / parts) {
				generators[name](h, NewReader(SeededInput("kept "+name, part*cases+n, 160)))
				_, _ = io.WriteString(h, "\n")
			}
			fmt.Fprintf(&got, "\t%s", hex.EncodeToString(h.Sum(nil)[:4]))
		}
		got.WriteString("\n")
	}
	if *updateKept {
		if err := os.WriteFile("testdata/kept.tsv", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/kept.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("seeds stand for other cases than before (-before +now):\n%s", d)
	}
}
