package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// wrongBehaviours are links of corpus/testdata/cases that nvlink makes wrong: what is said of each, the program and the end
// of the case's name.
var wrongBehaviours = []struct {
	kind    Kind
	program string
	ends    string
}{
	{SharedPlace, "tcgen05", "-r"}, {SharedPlace, "resource_report", "-v-r"}, {SharedPlace, "hidden_kernels", "-r"}, {SharedPlace, "hidden_kernels", "-r-null"},
	{SharedPlace, "hidden_kernels", "-r-null-filter"}, {SharedPlace, "hidden_kernels", "-r-g"}, {SharedPlace, "partial_twice", "sm_100-r"},
	{SectionSize, "equal_constants", "-kernels"}, {SectionSize, "patched_constants", "-kept"},
	{FunctionMissing, "null_pointers", "-ab"},
	{SymbolAlignment, "dynamic_shared", "13.5-sm_80"}, {SymbolAlignment, "dynamic_shared", "13.5-sm_100"}, {CodeBytes, "open_constants", "-r"},
}

// lookedAt are the programs whose links were gone through for these lists.
var lookedAt = []string{"described_shared", "dropped_label", "dynamic_shared", "equal_constants", "fast_path", "fenced_exits", "graph_calls", "hidden_kernels",
	"late_barriers", "late_scoreboards", "null_pointers", "old_tables", "open_constants", "partial_twice", "resource_report", "second_names", "tcgen05", "tools_patch",
	"undefined_globals", "weak_target", "whole_program", "patched_constants"}

// Every other link of these programs is accepted.
func TestBehaviours(t *testing.T) {
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	accepted, wrong := 0, 0
	for _, c := range corpus.CasesOf(programs) {
		if !c.Linked() || c.Output == nil || !c.Complete() || !slices.Contains(lookedAt, c.Program) {
			continue
		}
		v := Check(inputsOf(c), c.Output, optionsOf(c))
		i := slices.IndexFunc(wrongBehaviours, func(w struct {
			kind    Kind
			program string
			ends    string
		}) bool {
			return w.program == c.Program && strings.HasSuffix(c.Name, w.ends)
		})
		switch {
		case i >= 0:
			if wrong++; !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == wrongBehaviours[i].kind }) {
				t.Errorf("%s: no %s among\n%s", c.ID(), wrongBehaviours[i].kind, v)
			}
		case v.Total > 0 || len(v.Unjudged) > 0:
			t.Errorf("%s: %s", c.ID(), v)
		default:
			accepted++
		}
	}
	if accepted < 100 || wrong < 20 {
		t.Errorf("%d accepted, %d wrong", accepted, wrong)
	}
}

func behaviourOf(t *testing.T, id string) corpus.Case {
	t.Helper()
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range corpus.CasesOf(programs) {
		if c.ID() == id {
			return c
		}
	}
	t.Fatalf("no case %s", id)
	return corpus.Case{}
}
