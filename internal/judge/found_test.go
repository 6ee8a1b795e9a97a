package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/oracle/check"
)

func TestMain(m *testing.M) { replay.Main(m) }

// Links by nvlink that were judged wrongly once, made again: "judge make" drew them.
func TestFoundLinks(t *testing.T) {
	var tools *nvidia.Toolset
	for _, release := range []string{"11.8", "12.4", "13.0", "13.5"} {
		tools = nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
	}
	for _, x := range []struct {
		seed  uint64
		what  string
		wrong check.Kind // 0: the link is right
	}{
		{7310025, "IADD for IADD3 with a carry; a uniform register written over", 0},
		{7310249, "which weak function of equal length, sm_52", 0},
		{7310263, "which weak variable, by the records that must stay", 0},
		{7500087, "which weak function, by its attributes", 0},
		{7500132, "shared memory in two steps; .nv.compat where an object has none", check.SharedSize},
		{7402002, "a function that a lost definition takes the address of", 0},
		{7402104, "call frames of static functions that are alike", 0},
		{7402113, "resolved records of a weak variable that lost", 0},
		{7402313, "the start of the image slots in code that no kernel reaches", 0},
		{7403121, "a prototype of a function whose own definition lost", 0},
		{7403238, "a table of register types written anew in a second step", 0},
		{8100186, "what a kernel that nobody asked for calls", 0},
		{8100605, "a function that only dead code takes the address of", 0},
		{9200498, "call frames that are all alike, by what they say of their own section", 0},
		{9700240, "barriers in the section flags of a kernel of an older object", 0},
		{9700691, "what one of several definitions calls", 0},
		{9200708, "the same on the Mercury side", 0},
		{9200053, "call frames of a function that two inputs define, by which place is left", 0},
		{9900135, "EXTERNS of a kernel that nobody asked for, where one is", 0},
		{9960134, "parameters of a kernel that lost, by name and size", 0},
		{9960463, "what an indirect call reaches, where a definition that lost takes the address", 0},
		{9960539, "registers of a kernel that nobody asked for", 0},
		{9900839, "a constant points to a weak variable that a strong one takes the place of", check.RelocationMissing},
		{9900939, "a table of register types of one input written anew", 0},
		{9700676, "the record of one static function at a place of another of its name", check.ResolvedStray},
		{7310031, "a constant points to a variable whose own definition lost", check.PointerMissing},
		{6300284, "what a function calls that stays though no kernel reaches it", 0},
		{5200109, "a static function of two inputs, by which of its callers is there", 0},
		{7310060, "a table points to a function whose own definition lost", check.FunctionMissing},
		{771300217, "static functions that only their lines tell apart", 0},
	} {
		t.Run(x.what, func(t *testing.T) {
			m := &maker{tools, t.TempDir(), ""}
			if x.seed == 771300217 {
				m.only = "sm_1" // as it was drawn
			}
			if err := m.make(context.Background(), x.seed); errors.Is(err, errRefused) {
				t.Fatal("the seed makes no link any more")
			} else if err != nil {
				t.Fatal(err)
			}
			folders, err := filepath.Glob(filepath.Join(m.dir, "*"))
			if err != nil || len(folders) != 1 {
				t.Fatal(folders, err)
			}
			l, inputs, output, err := load(folders[0])
			if err != nil {
				t.Fatal(err)
			}
			v := check.Check(inputs, output, l.options())
			if slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind == check.CompatValue }) {
				t.Errorf(".nv.compat is right:\n%s", v)
			}
			switch {
			case x.wrong == 0 && v.Outcome() == check.Rejected:
				t.Errorf("%s %v:\n%s", l.Release, l.Args, v)
			case x.wrong != 0 && !slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind == x.wrong }):
				t.Errorf("%s %v: no %v in\n%s", l.Release, l.Args, x.wrong, v)
			}
		})
	}
}
