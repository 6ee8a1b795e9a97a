package registration

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The file that nvlink 13.0.88 writes for two objects.
const registered = "#define NUM_PRELINKED_OBJECTS 2\nDEFINE_REGISTER_FUNC(_37482fd7_4_a_cu_c)\nDEFINE_REGISTER_FUNC(_25fd8039_4_b_cu_factor)\n"

func TestCheckFile(t *testing.T) {
	a, b := "_37482fd7_4_a_cu_c", "_25fd8039_4_b_cu_factor"
	for name, c := range map[string]struct {
		text string
		want []string
		says []Fault
	}{
		"right":         {registered, []string{a, b}, nil},
		"other order":   {registered, []string{b, a}, nil},
		"one is absent": {registered, []string{a, b, "_c"}, []Fault{{Kind: Unregistered, Name: "_c"}}},
		"one too many":  {registered, []string{a}, []Fault{{Kind: Unknown, Name: b}}},
		"twice": {"#define NUM_PRELINKED_OBJECTS 2\nDEFINE_REGISTER_FUNC(x)\nDEFINE_REGISTER_FUNC(x)\n", []string{"x"},
			[]Fault{{Kind: Twice, Name: "x"}}},
		"number": {"#define NUM_PRELINKED_OBJECTS 3\nDEFINE_REGISTER_FUNC(x)\n", []string{"x"}, []Fault{{Kind: Count, Name: "3"}}},
		"a line": {"#define NUM_PRELINKED_OBJECTS 0\nint x;\n", nil,
			[]Fault{{Kind: Malformed, Name: `line 2: no form of a registration file: "int x;"`}}},
		"no end": {"#define NUM_PRELINKED_OBJECTS 0\nDEFINE_REGISTER_FUNC(x\n", nil,
			[]Fault{{Kind: Malformed, Name: `line 2: no form of a registration file: "DEFINE_REGISTER_FUNC(x"`}}},
		"no beginning": {"#define NUM_PRELINKED_OBJECTS 0\nx, a long name in brackets)\n", nil,
			[]Fault{{Kind: Malformed, Name: `line 2: no form of a registration file: "x, a long name in brackets)"`}}},
		"two heads": {"#define NUM_PRELINKED_OBJECTS 0\n#define NUM_PRELINKED_OBJECTS 0\n", nil,
			[]Fault{{Kind: Malformed, Name: `line 2: no form of a registration file: "#define NUM_PRELINKED_OBJECTS 0"`}}},
		"less than none": {"#define NUM_PRELINKED_OBJECTS -1\n", nil, []Fault{{Kind: Malformed, Name: `line 1: no number of objects: "#define NUM_PRELINKED_OBJECTS -1"`}}},
		"no number":      {"#define NUM_PRELINKED_OBJECTS two\n", nil, []Fault{{Kind: Malformed, Name: `line 1: no number of objects: "#define NUM_PRELINKED_OBJECTS two"`}}},
		"none":           {"#define NUM_PRELINKED_OBJECTS 0\n", nil, nil},
		"no head":        {"DEFINE_REGISTER_FUNC(x)\n", []string{"x"}, []Fault{{Kind: Count, Name: "-1"}}},
	} {
		if diff := cmp.Diff(c.says, CheckFile([]byte(c.text), c.want)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What nvcc 13.0.88 wrote into a program of three files: a template's pattern
// for internal linkage fits nothing, and that is no fault.
func TestLacking(t *testing.T) {
	external := []string{"_Z3run*", "_Z2tk*"}
	internal := []string{"__nv_static_19__d98ad152_4_c_cu_cc_*2tk*"}
	names := []string{"_Z3runPi", "_Z2tkIiEvPT_"}
	for _, c := range []struct {
		external, internal, names []string
		want                      []Fault
	}{
		{external, internal, names, nil},
		{external, internal, names[:1], []Fault{{NoKernel, "_Z2tk*", "sm_90"}}},
		{external, internal, names[1:], []Fault{{NoKernel, "_Z3run*", "sm_90"}}},
		{external, internal, []string{"_Z3runPi", "__nv_static_19__d98ad152_4_c_cu_cc__Z2tkIiEvPT_"}, nil},
		{nil, []string{"__nv_static_28__x_*bias"}, names, []Fault{{NoKernel, "__nv_static_28__x_*bias", "sm_90"}}},
	} {
		p := new(Program)
		p.lacking(NoKernel, "sm_90", c.external, c.internal, c.names)
		if diff := cmp.Diff(c.want, p.Faults); diff != "" {
			t.Errorf("%q in %q: %s", c.external, c.names, diff)
		}
	}
}

func TestModules(t *testing.T) {
	for _, c := range []struct {
		ids  []string
		want []Fault
	}{
		{[]string{"def a", "def b", "a", "b"}, nil},
		{[]string{"def a", "a", "b"}, []Fault{{Kind: Unregistered, Name: "b"}}},
		{[]string{"def a", "def a", "a"}, []Fault{{Kind: Twice, Name: "a"}}},
		{[]string{"def a", "def c", "a"}, []Fault{{Kind: Unknown, Name: "c"}}},
		{[]string{"def a", "a", "a"}, []Fault{{Kind: Twice, Name: "a"}}},
	} {
		p := new(Program)
		p.checkModules(c.ids)
		if diff := cmp.Diff(c.want, p.Faults); diff != "" {
			t.Errorf("%q: %s", c.ids, diff)
		}
	}
}
