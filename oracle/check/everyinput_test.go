package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// askedAgain are right links of nvlink, each checked against something else than what it was made of.
type askedAgain struct {
	kind, name string
	ask        func() Verdict
}

// says is what a verdict is in a few signs: how many findings there are, - for a refusal, parts that weren't judged after
// a slash, and a sum of what is said.
func says(v Verdict) string {
	n := fmt.Sprint(v.Total)
	if v.Refusal != nil {
		n = "-"
	}
	if len(v.Unjudged) > 0 {
		n += fmt.Sprint("/", len(v.Unjudged))
	}
	return n + ":" + sumOf(v)
}

// otherInputs are links with a kind of number changed in an input: the output is not of that input.
func otherInputs(t testing.TB) (list []askedAgain) {
	const most = 3
	tried := map[string]int{}
	for _, c := range slices.Concat(mercuryCases(t), linkedCases(t)) {
		options := optionsOf(c)
		seen := map[string]bool{}
		for i := range c.Inputs {
			for _, f := range corpus.Fields(c.Inputs[i].Data) {
				k := tried[f.Kind]
				if seen[f.Kind] || k == most {
					continue
				}
				seen[f.Kind], tried[f.Kind] = true, k+1
				list = append(list, askedAgain{f.Kind, c.ID(), func() Verdict {
					inputs := inputsOf(c)
					inputs[i].Data = f.Change(inputs[i].Data, k+len(f.Kind))
					return Check(inputs, c.Output, options)
				}})
			}
		}
	}
	return list
}

// otherOptions are links that are held against other options than nvlink was given, one turned around or named otherwise,
// or against more or fewer inputs.
func otherOptions(t testing.TB) (list []askedAgain) {
	changes := []struct {
		name   string
		change func(*Options, *[]Input)
	}{
		{"-r", func(o *Options, _ *[]Input) { o.Relocatable = !o.Relocatable }},
		{"--preserve-relocs", func(o *Options, _ *[]Input) { o.PreserveRelocs = !o.PreserveRelocs }},
		{"-g", func(o *Options, _ *[]Input) { o.Debug = !o.Debug }},
		{"--suppress-debug-info", func(o *Options, _ *[]Input) { o.Debug, o.SuppressDebug = true, !o.SuppressDebug }},
		{"--force-rela", func(o *Options, _ *[]Input) { o.ForceRela = !o.ForceRela }},
		{"--disable-smem-reservation", func(o *Options, _ *[]Input) { o.NoReserved = !o.NoReserved }},
		{"--reserve-null-pointer", func(o *Options, _ *[]Input) { o.ReserveNull = !o.ReserveNull }},
		{"--kernels-used", func(o *Options, _ *[]Input) { o.KernelsUsed = []string{"k"} }},
		{"--kernels-used of none", func(o *Options, _ *[]Input) { o.KernelsUsed = []string{"no such name"} }},
		{"--variables-used", func(o *Options, _ *[]Input) { o.VariablesUsed = []string{"no such name"} }},
		{"no filter", func(o *Options, _ *[]Input) { o.KernelsUsed, o.VariablesUsed = nil, nil }},
		{"host code that uses nothing", func(o *Options, _ *[]Input) { o.HostUse = &HostUse{} }},
		{"host code that uses all", func(o *Options, _ *[]Input) {
			o.HostUse = &HostUse{Kernels: []string{"*"}, InternalKernels: []string{"*"}}
		}},
		{"host code that uses k", func(o *Options, _ *[]Input) { o.HostUse = &HostUse{Kernels: []string{"k*"}} }},
		{"strict", func(o *Options, _ *[]Input) { o.Strict = true }},
		{"no target", func(o *Options, _ *[]Input) { o.Arch = "" }},
		{"sm_89", func(o *Options, _ *[]Input) { o.Arch = "sm_89" }},
		{"sm_121a", func(o *Options, _ *[]Input) { o.Arch = "sm_121a" }},
		{"11.8", func(o *Options, _ *[]Input) { o.Toolkit = "11.8" }},
		{"12.4", func(o *Options, _ *[]Input) { o.Toolkit = "12.4" }},
		{"13.0", func(o *Options, _ *[]Input) { o.Toolkit = "13.0" }},
		{"13.5", func(o *Options, _ *[]Input) { o.Toolkit = "13.5" }},
		{"without the first input", func(_ *Options, in *[]Input) { *in = (*in)[1:] }},
		{"without the last input", func(_ *Options, in *[]Input) { *in = (*in)[:len(*in)-1] }},
		{"the last input twice", func(_ *Options, in *[]Input) {
			*in = append(*in, Input{Name: "again.cubin", Data: (*in)[len(*in)-1].Data})
		}},
		{"inputs in another order", func(_ *Options, in *[]Input) { slices.Reverse(*in) }},
	}
	for i, c := range slices.Concat(mercuryCases(t), linkedCases(t)) {
		for k, by := range changes {
			if (i+k)%6 != 0 {
				continue
			}
			list = append(list, askedAgain{"option " + by.name, c.ID(), func() Verdict {
				inputs, options := inputsOf(c), optionsOf(c)
				by.change(&options, &inputs)
				return Check(inputs, c.Output, options)
			}})
		}
	}
	return list
}

// TestEveryInput changes each kind of number that inputs have, in up to three of them, and gives right links of nvlink
// other options or other inputs than they were made with. testdata/inputs.tsv has what is said of the unchanged output: an
// input, an option or a check that is looked at no more shows there.
//
//	go test ./oracle/check -run TestEveryInput -fields
func TestEveryInput(t *testing.T) {
	said := map[string][]string{}
	for _, a := range slices.Concat(otherInputs(t), otherOptions(t)) {
		said[a.kind] = append(said[a.kind], says(a.ask()))
	}
	var b strings.Builder
	b.WriteString("# Kinds of numbers in inputs, and options, and what a check of an output says that was made with others (TestEveryInput)\n")
	for _, kind := range slices.Sorted(maps.Keys(said)) {
		fmt.Fprintf(&b, "%s\t%s\n", kind, strings.Join(said[kind], " "))
	}
	holds(t, "testdata/inputs.tsv", b.String())
}
