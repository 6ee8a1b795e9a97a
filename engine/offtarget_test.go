package engine_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// offTarget links an object of ptxas 13.0.88 for sm_100.
func offTarget(t *testing.T, name, arch string) (*engine.Output, error) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Link([]engine.Input{{Name: name, Data: data}}, engine.Options{Arch: arch, Record: engine.CommandLine{Text: "-arch " + arch + " "}})
}

// A kernel for sm_100 that adds doubles is rescheduled for sm_103, and so are a function that
// multiplies them and returns, and a kernel that multiplies integer matrices, to the file that nvlink 13.0.88 writes, with a warning: not
// all such functions come out as nvlink's.
func TestOffTarget(t *testing.T) {
	for _, c := range []struct{ file, function, nvlink string }{
		{"offtarget.cubin", "k", "a8b71ebb11306ffe12c1d323fae132c821be1a14a4f9399c77aad12f4ba7cd1b"},
		{"offtarget-call.cubin", "twice", "e04067d497dc646996054443b3232120331fb63e993beb254ce2af6baa5fd1be"},
		{"offtarget-imma.cubin", "imma", "7b6558d9f24c85a91bc716039f84229e73d60c2d4c8fee0e06bda31cd55f432a"},
	} {
		out, err := offTarget(t, c.file, "sm_103")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(out.Image)); got != c.nvlink {
			t.Errorf("%s: the file's sum is %s", c.file, got)
		}
		if !slices.ContainsFunc(out.Diags, func(d engine.Diagnostic) bool { return d.Kind == engine.Rescheduled && d.Symbol == c.function }) {
			t.Errorf("%s: no warning for %s: %v", c.file, c.function, out.Diags)
		}
		for _, arch := range []string{"sm_100", "sm_100f"} {
			if _, err := offTarget(t, c.file, arch); err != nil {
				t.Errorf("%s, %s: %v", c.file, arch, err)
			}
		}
	}
}

// What can't be rescheduled is refused: products of sparse matrices of integers. nvlink
// takes them.
func TestOffTargetRefused(t *testing.T) {
	for _, c := range []struct {
		file, function string
		offset         uint64
	}{{"offtarget-sparse.cubin", "sparse", 0xb0}} {
		out, err := offTarget(t, c.file, "sm_103")
		var refused *engine.LinkError
		if !errors.As(err, &refused) || out != nil && out.Image != nil {
			t.Errorf("%s: linked: %v", c.file, err)
			continue
		}
		d := refused.Diags[len(refused.Diags)-1]
		if d.Kind != engine.Unsupported || d.Symbol != c.function || d.Section != ".text."+c.function || d.Offset != c.offset {
			t.Errorf("%s: refused with %+v", c.file, d)
		}
		if _, err := offTarget(t, c.file, "sm_100"); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
	}
}

// Code of sm_100 by older toolkits is set apart for sm_103 from 13.1 on, with one warning for each function. What
// can't be is linked from 13.3 on, where every double and every product of integer matrices holds a scoreboard; by
// 13.1 and 13.2 it is refused.
func TestOffTargetLater(t *testing.T) {
	for _, c := range []struct {
		file, release string
		linked        bool
	}{
		{"offtarget.cubin", "13.3", true}, {"offtarget-call.cubin", "13.4", true}, {"offtarget-call.cubin", "13.5", true},
		{"offtarget-imma.cubin", "13.5", true}, {"offtarget-imma.cubin", "13.2", true}, {"offtarget.cubin", "13.1", true}, {"offtarget.cubin", "13.2", true},
		{"offtarget-sparse.cubin", "13.5", true}, {"offtarget-sparse.cubin", "13.1", false}, {"offtarget-sparse.cubin", "13.2", false},
	} {
		data, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := engine.Link([]engine.Input{{Name: c.file, Data: data}}, engine.Options{Arch: "sm_103", Toolkit: c.release, Record: engine.CommandLine{Text: "-arch sm_103 "}})
		if (err == nil) != c.linked {
			t.Errorf("%s, %s: %v", c.file, c.release, err)
			continue
		}
		if !c.linked {
			continue
		}
		warned := map[string]int{}
		for _, d := range out.Diags {
			if d.Kind == engine.Rescheduled {
				warned[d.Symbol]++
			}
		}
		for name, n := range warned {
			if n != 1 {
				t.Errorf("%s, %s: %d warnings for %s", c.file, c.release, n, name)
			}
		}
		if len(warned) == 0 {
			t.Errorf("%s, %s: no warning", c.file, c.release)
		}
	}
}
