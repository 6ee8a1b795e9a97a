package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
)

// What nvlink makes wrong silently has a warning, said once for each input or kernel: by program of
// corpus/testdata/cases, the kind of warning and a part of its text.
func TestOwnWarnings(t *testing.T) {
	wanted := []struct {
		program, release string
		kind             engine.DiagKind
		text             string
		seen             bool
	}{
		{program: "equal_constants", release: "13.0", kind: engine.Displaced, text: "constants of another input displace"},
		{program: "dynamic_shared", release: "13.5", kind: engine.Displaced, text: "not a multiple of the alignment"},
		{program: "null_pointers", release: "11.8", kind: engine.NullPointer, text: "is zero, because another input defines"},
		{program: "uncounted_functions", release: "13.5", kind: engine.Uncounted, text: "don't count its resources"},
		{program: "yield_operation", release: "13.0", kind: engine.Displaced, text: "becomes another operation"},
		{program: "lost_tables", release: "13.0", kind: engine.Displaced, text: "has addresses of 0"},
		{program: "open_constants", release: "13.0", kind: engine.LostConstant, text: "is lost, because another object defines it"},
		{program: "static_namesakes", release: "13.0", kind: engine.Displaced, text: "the first is used for all"},
		{program: "sorted_symbols", release: "13.5", kind: engine.Displaced, text: "refers to other functions"},
	}
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range corpus.CasesOf(programs) {
		if !c.Complete() || !c.Linked() {
			continue
		}
		o := engine.Options{Arch: c.Arch, Toolkit: c.Release}
		for _, a := range c.Args {
			o.Relocatable = o.Relocatable || a == "-r"
			if kernels, ok := strings.CutPrefix(a, "-kernels-used="); ok {
				o.KernelsUsed = strings.Split(kernels, ",")
			}
		}
		var in []engine.Input
		for _, f := range c.Inputs {
			in = append(in, engine.Input{Name: f.Name, Data: f.Data})
		}
		out, err := engine.Link(in, o)
		if err != nil {
			continue // what other options ask for
		}
		said := map[string]bool{}
		for _, d := range out.Diags {
			key := fmt.Sprint(d.Kind, d.File, d.Symbol, d.Section, d.Text)
			if own := d.Kind == engine.Displaced || d.Kind == engine.NullPointer || d.Kind == engine.Uncounted || d.Kind == engine.LostConstant; own && said[key] {
				t.Errorf("%s: %q is said again", c.ID(), d.Text)
			}
			said[key] = true
			for i := range wanted {
				w := &wanted[i]
				w.seen = w.seen || w.program == c.Program && w.release == c.Release && w.kind == d.Kind && strings.Contains(d.Text, w.text)
			}
		}
	}
	for _, w := range wanted {
		if !w.seen {
			t.Errorf("no link of %s by %s says %q", w.program, w.release, w.text)
		}
	}
}
