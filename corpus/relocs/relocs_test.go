package relocs_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

func files(t *testing.T) []relocs.File {
	t.Helper()
	list, err := relocs.Files()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFormat holds every file against the formatter: there is one way to write
// a vector.
func TestFormat(t *testing.T) {
	for _, f := range files(t) {
		want, err := relocs.Format(f.Template, f.Groups)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if !bytes.Equal(f.Text, want) {
			t.Errorf("%s is not in canonical form; corpus/internal/vectors -update writes it", f.Name)
		}
	}
}

// TestLint is what every vector must keep to.
func TestLint(t *testing.T) {
	m, err := relocs.Templates()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, f := range files(t) {
		if f.Name != f.Template.Name+".json" {
			t.Errorf("%s holds the vectors of %s", f.Name, f.Template.Name)
		}
		for _, g := range f.Groups {
			if g.About == "" || len(g.Flags) == 0 || len(g.Vectors) == 0 {
				t.Errorf("%s: group %s lacks a text, a flag or vectors", f.Name, g.Name)
			}
			for _, flag := range g.Flags {
				if relocs.Flags[flag] == "" {
					t.Errorf("%s: group %s: nobody knows flag %s", f.Name, g.Name, flag)
				}
			}
		}
	}
	for v := range relocs.Vectors() {
		if ids[v.ID] {
			t.Errorf("two vectors are called %s", v.ID)
		}
		ids[v.ID] = true
		for _, problem := range lint(m, v) {
			t.Errorf("%s: %s", v.ID, problem)
		}
	}
	for _, template := range m.Templates {
		if template.Drawn == slices.ContainsFunc(files(t), func(f relocs.File) bool { return f.Template == template }) {
			t.Errorf("template %s has no vectors, or is not to have any", template.Name)
		}
	}
}

func lint(m *relocs.Manifest, v *relocs.Vector) (problems []string) {
	say := func(s string) { problems = append(problems, s) }
	if v.Form != relocs.REL && v.Form != relocs.RELA {
		say("form " + string(v.Form))
	}
	for _, r := range v.Records {
		if v.Form == relocs.REL && r.Addend != 0 {
			say("addend of a REL record")
		}
		if k := m.Kind(v.Template.Program, r.Symbol); k == "" && !strings.HasPrefix(r.Symbol, ".") && !strings.HasPrefix(r.Symbol, "#") {
			say("nobody knows what kind of symbol " + r.Symbol + " is")
		}
	}
	var told []string
	for i, r := range v.Results {
		told = append(told, r.Releases...)
		want := map[relocs.Did]relocs.Verdict{relocs.Linked: relocs.Valid, relocs.Refused: relocs.Invalid, relocs.Crashed: relocs.Acceptable, relocs.Hung: relocs.Acceptable}[r.Did]
		if r.Verdict != want && !(r.Verdict == relocs.Acceptable && slices.ContainsFunc(v.Records, func(x relocs.Record) bool { return x.Type > uint32(cuda.R_CUDA_NONE_LAST) })) {
			say("verdict " + string(r.Verdict) + " of what was " + string(r.Did))
		}
		if (r.Did == relocs.Refused) != (r.Exit != 0) || r.Did == relocs.Refused && r.Message == "" {
			say("a refusal has an exit status and a message, and nothing else has a status")
		}
		if r.Did != relocs.Linked && (r.Gone || r.After != nil || r.Changed != nil || r.Kept != nil || r.Counterpart != nil || r.Saved != nil) {
			say("facts about an image that there is none of")
		}
		if r.Did == relocs.Linked && len(r.Images) != len(r.Releases) || r.Did != relocs.Linked && len(r.Images) > 0 {
			say("not one checksum for each image")
		}
		for _, o := range v.Results[:i] {
			if o.Same(r) {
				say("two results that are one")
			}
		}
	}
	slices.Sort(told)
	if !slices.Equal(told, v.Template.Releases) {
		say("results of " + strings.Join(told, " ") + ", not of " + strings.Join(v.Template.Releases, " "))
	}
	return problems
}

// TestCoverage sees that the corpus asks what it is there to ask.
func TestCoverage(t *testing.T) {
	m, err := relocs.Templates()
	if err != nil {
		t.Fatal(err)
	}
	type question struct {
		number uint32
		kind   string
		form   relocs.Form
	}
	asked := map[question]bool{}
	for v := range relocs.Vectors() {
		for _, r := range v.Records {
			asked[question{r.Type, m.Kind(v.Template.Program, r.Symbol), v.Form}] = true
		}
	}
	for number := range uint32(cuda.R_CUDA_NONE_LAST) + 1 {
		for _, kind := range []string{"constant", "shared", "global", "function", "texture", "dead", "undefined"} {
			if !asked[question{number, kind, relocs.REL}] && !asked[question{number, kind, relocs.RELA}] {
				t.Errorf("type %d against a symbol that is %s: no vector", number, kind)
			}
		}
		for _, form := range []relocs.Form{relocs.REL, relocs.RELA} {
			for _, kind := range []string{"constant", "shared", "global", "function", "texture"} {
				if !asked[question{number, kind, form}] {
					t.Errorf("type %d against a symbol that is %s, %s: no vector", number, kind, form)
				}
			}
		}
	}
	for i := range uint32(64) {
		for _, kind := range []string{"constant", "shared", "dynamic", "global", "function", "texture", "dead", "undefined"} {
			if !asked[question{cuda.MercuryBase + i, kind, relocs.RELA}] {
				t.Errorf("type %#x against a symbol that is %s: no vector", cuda.MercuryBase+i, kind)
			}
		}
	}
}

// TestCompare sees that Compare takes nvlink's answer and nothing else.
func TestCompare(t *testing.T) {
	find := func(fits func(relocs.Result) bool) (*relocs.Vector, relocs.Result) {
		for v := range relocs.Vectors() {
			if fits(v.Results[0]) {
				return v, v.Results[0]
			}
		}
		t.Fatal("no such vector")
		return nil, relocs.Result{}
	}
	v, r := find(func(r relocs.Result) bool { return r.Did == relocs.Refused })
	inputs, err := v.Inputs()
	if err != nil {
		t.Fatal(err)
	}
	right := relocs.Answer{Exit: r.Exit, Message: r.Message}
	wrong := map[string]relocs.Answer{
		"refusal": {Image: []byte{0}},
		"message": {Exit: r.Exit, Message: r.Message + "!"},
		"exit":    {Exit: r.Exit + 1, Message: r.Message},
	}
	check := func(v *relocs.Vector, inputs []relocs.Input, a relocs.Answer, what string) {
		t.Helper()
		err := v.Compare(v.Results[0].Releases[0], inputs, a)
		var d *relocs.Difference
		switch {
		case what == "" && err != nil:
			t.Error(err)
		case what != "" && (!errors.As(err, &d) || d.What != what):
			t.Errorf("Compare says %v, want a difference in %s", err, what)
		}
	}
	check(v, inputs, right, "")
	for what, a := range wrong {
		check(v, inputs, a, what)
	}
	// An input is an ELF file with the place and the records, and not linked.
	v, _ = find(func(r relocs.Result) bool { return r.After != nil })
	if inputs, err = v.Inputs(); err != nil {
		t.Fatal(err)
	}
	check(v, inputs, relocs.Answer{}, "image")
	check(v, inputs, relocs.Answer{Image: []byte("no ELF file at all")}, "image")
	check(v, inputs, relocs.Answer{Image: inputs[len(inputs)-1].Data}, "place")
	v, _ = find(func(r relocs.Result) bool { return r.Did == relocs.Crashed })
	check(v, nil, relocs.Answer{}, "class")
	check(v, nil, relocs.Answer{Exit: 1, Message: "refused"}, "")
	if err := v.Compare("1.0", nil, relocs.Answer{}); err == nil {
		t.Error("an answer for a release that nobody asked")
	}
}
