package engine_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
)

// Call frames of rescheduled code may name places inside its first instruction: no compiler writes that, and no link
// may die of it.
func TestFrameInsideAWord(t *testing.T) {
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, c := range corpus.CasesOf(programs) {
		if !c.Complete() || !c.Linked() || !slices.Contains([]string{"fence_unoptimized", "fences", "closed_lines", "surface_fence"}, c.Program) {
			continue
		}
		var in []engine.Input
		for _, f := range c.Inputs {
			data := bytes.Clone(f.Data)
			file, err := cubin.Open(f.Name, data)
			if err != nil {
				t.Fatal(err)
			}
			s := file.Section(file.Lookup(".debug_frame"))
			b := file.Content(&s)
			for k := 0; k+5 <= len(b); k++ { // DW_CFA_advance_loc4 of whole instructions
				if b[k] == 4 && b[k+1] != 0 && b[k+1]%4 == 0 && bytes.Equal(b[k+2:k+5], []byte{0, 0, 0}) {
					b[k+1] = 1
					changed++
				}
			}
			in = append(in, engine.Input{Name: f.Name, Data: data})
		}
		for _, debug := range []bool{false, true} {
			_, _ = engine.Link(in, engine.Options{Arch: c.Arch, Toolkit: c.Release, Debug: debug})
		}
	}
	if changed < 20 {
		t.Errorf("only %d advances changed", changed)
	}
}
