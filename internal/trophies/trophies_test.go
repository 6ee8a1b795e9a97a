package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check"
)

// The recorded images were made by nvJitLink 12.9 and 13.5 and by nvlink 12.4.131, 13.0.88 and 13.5.37. Each
// is rejected by a finding that names what is wrong.
func TestRecorded(t *testing.T) {
	for _, x := range []struct {
		output string
		inputs []string
		used   []string
		kind   check.Kind
		symbol string
	}{
		{"scale-12.9", []string{"scale1", "scale2"}, nil, check.InputConflict, "scale"},
		{"scale-13.5", []string{"scale1", "scale2"}, nil, check.InputConflict, "scale"},
		{"tiles", []string{"tile1", "tile2"}, nil, check.SharedOverlap, "tile2"},
		{"tables-12.4", []string{"table1", "table2"}, nil, check.FunctionMissing, "twice"},
		{"tables-13.5", []string{"table1", "table2"}, nil, check.FunctionMissing, "twice"},
		{"fars-13.0", []string{"far1", "far2"}, nil, check.RelocationField, "far"},
		{"fars-13.5", []string{"far1", "far2"}, nil, check.RelocationField, "far"},
		{"wide-13.5", []string{"wide1"}, nil, check.SymbolAlignment, "wide"},
		{"wide-nvjitlink-13.5", []string{"wide1"}, nil, check.SymbolAlignment, "wide"},
		{"stacks-13.5", []string{"stack1", "stack2"}, nil, check.FactValue, "apply"},
		{"gains", []string{"gain1", "gain2", "gain3"}, strings.Split(called, ","), check.SectionSize, ""},
	} {
		var inputs []check.Input
		for _, name := range x.inputs {
			inputs = append(inputs, read(t, name))
		}
		v := check.Check(inputs, read(t, x.output).Data, check.Options{Arch: "sm_90", KernelsUsed: x.used})
		if len(v.Findings) == 0 {
			t.Errorf("%s is accepted", x.output)
		} else if f := v.Findings[0]; f.Kind != x.kind || f.Symbol != x.symbol {
			t.Errorf("%s: the first finding is %s", x.output, f)
		}
		if slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Meaning() == "" }) {
			t.Errorf("%s: a finding without a meaning", x.output)
		}
	}
}

// With the tables first nvlink 13.5.37 fills them in.
func TestOtherOrder(t *testing.T) {
	inputs := []check.Input{read(t, "table1"), read(t, "table2")}
	if v := check.Check(inputs, read(t, "tables-right").Data, check.Options{Arch: "sm_90"}); !v.Agrees() {
		t.Error(v)
	}
}

// With the pointer's object first nvlink 13.5.37 gives the kernel the function's 512 bytes of stack.
func TestStacks(t *testing.T) {
	inputs := []check.Input{read(t, "stack2"), read(t, "stack1")}
	if v := check.Check(inputs, read(t, "stacks-right").Data, check.Options{Arch: "sm_90"}); !v.Agrees() {
		t.Error(v)
	}
	v := check.Check(inputs, read(t, "stacks-13.5").Data, check.Options{Arch: "sm_90"})
	if len(v.Findings) != 1 || v.Findings[0].Want != "00020000" || v.Findings[0].Got != "00000000" {
		t.Error(v)
	}
}

// nvlink 13.5.37 places dynamic shared memory by the alignment of the last array that the
// code names: one alone lies right.
func TestWide(t *testing.T) {
	if v := check.Check([]check.Input{read(t, "wide2")}, read(t, "wide-right").Data, check.Options{Arch: "sm_90"}); !v.Agrees() {
		t.Error(v)
	}
	v := check.Check([]check.Input{read(t, "wide1")}, read(t, "wide-13.5").Data, check.Options{Arch: "sm_90"})
	var told []string
	for _, f := range v.Findings {
		told = append(told, f.Detail)
	}
	slices.Sort(told)
	if want := []string{
		"the function deep, which the kernel calls reaches, uses wide at 0x20, which is not a multiple of its alignment of 128 bytes",
		"the kernel two uses wide at 0x20, which is not a multiple of its alignment of 128 bytes",
	}; !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}

// The object lists three kernels whose addresses its table holds. nvlink 13.5.37 names one
// that nothing points to.
func TestNames(t *testing.T) {
	v := check.Check([]check.Input{read(t, "names")}, read(t, "names-13.5").Data, check.Options{Arch: "sm_100"})
	if len(v.Findings) != 2 {
		t.Fatal(v)
	}
	for _, f := range v.Findings {
		if f.Kind != check.FactValue || f.Want != "side2 side4 side6" || f.Got != "side1" {
			t.Error(f)
		}
	}
}

func read(t *testing.T, name string) check.Input {
	t.Helper()
	data, err := recorded.ReadFile("testdata/" + name + ".cubin")
	if err != nil {
		t.Fatal(err)
	}
	return check.Input{Name: name, Data: data}
}
