package fuzz

import (
	"fmt"
	"slices"
	"strings"
)

// Known is a divergence of mixes that is understood and not mended yet. Example
// is the smallest mix that shows it: a test links it, and fails once nothing is
// wrong any more, so that no entry outlives its fault.
type Known struct {
	Finding  string   // kind of the oracle's first finding
	Programs []string // one of them has a part in the mix
	Args     []string // all of them are given
	Wrong    string   // "engine" or "oracle": whom nvlink doesn't bear out
	Why      string
	Example  Example
}

// Example names a mix.
type Example struct {
	Release, Arch string
	Args          []string
	Modules       []string // "alias/12.4-sm_50/a.cubin" of corpus/testdata/links
}

// KnownMixes are the known divergences between engine and oracle, found with
// this package's mixes and judged by nvlink 11.8.89, 12.4.131 and 13.0.88.
var KnownMixes = []Known{
	{
		Finding: "relocation.field", Args: []string{"-r"}, Wrong: "oracle",
		Why:     "a relocatable link patches -1 for shared variables that no kernel uses",
		Example: Example{"13.0", "sm_90", []string{"-r"}, []string{"cluster/13.0-sm_90/b.cubin"}},
	},
	{
		Finding: "shared.place", Args: []string{"-r", "-g"}, Wrong: "oracle",
		Why:     "besides what -r does to shared variables: 13.0 carries out a record against a weak constant with -g",
		Example: Example{"13.0", "sm_89", []string{"-r", "-g"}, []string{"random_1/13.0-sm_89/m2.cubin"}},
	},
}

// KnownImage is a mix of which the engine is known to make another image than
// nvlink, or to refuse what nvlink links, or the other way round.
type KnownImage struct {
	Programs []string // all of them have a part in the mix
	Why      string
	Example  Example
}

// KnownImages are those that the oracle has no part in: it accepts the image, or
// there is none.
var KnownImages = []KnownImage{
	{
		Programs: []string{"random_3", "textures"}, Why: "records of a texture reference and of a kernel's parameter bank under the same names",
		Example: Example{"12.4", "sm_87", []string{"--force-rela"}, []string{"random_3/12.4-sm_87/m0.cubin", "textures/12.4-sm_87-quiet/b.cubin"}},
	},
	{
		Programs: []string{"random_4"}, Why: "modules in another order",
		Example: Example{"11.8", "sm_52", nil, []string{"random_4/11.8-sm_52/m1.cubin", "random_4/11.8-sm_52/m0.cubin", "random_4/11.8-sm_52/m2.cubin"}},
	},
	{
		Programs: []string{"random_9"}, Why: "a reference that the engine takes for one to a deleted symbol",
		Example: Example{"11.8", "sm_86", []string{"--preserve-relocs"}, []string{"random_9/11.8-sm_86/m0.cubin"}},
	},
	{
		Programs: []string{"random_10"}, Why: "edges of .nv.callgraph in a relocatable link",
		Example: Example{"13.0", "sm_90a", []string{"-r"}, []string{"random_10/13.0-sm_90a/m0.cubin", "random_10/13.0-sm_90a/m1.cubin"}},
	},
}

// covers reports whether all programs of the entry are in a mix.
func (k *KnownImage) covers(m *Mix) bool {
	for _, p := range k.Programs {
		if !slices.ContainsFunc(m.Modules, func(from string) bool { return strings.HasPrefix(from, p+"/") }) {
			return false
		}
	}
	return true
}

// covers reports whether an entry is about a mix that ended in a finding.
func (k *Known) covers(m *Mix, finding string) bool {
	if k.Finding != finding {
		return false
	}
	for _, a := range k.Args {
		if !slices.Contains(m.Args, a) {
			return false
		}
	}
	if len(k.Programs) == 0 {
		return true
	}
	return slices.ContainsFunc(m.Modules, func(from string) bool {
		program, _, _ := strings.Cut(from, "/")
		return slices.Contains(k.Programs, program)
	})
}

// Mix makes the example's link.
func (e *Example) Mix() (Mix, error) {
	m := Mix{Release: e.Release, Arch: e.Arch, Args: append([]string{"-arch=" + e.Arch}, e.Args...)}
	cases, err := recorded()
	if err != nil {
		return m, err
	}
	for i, from := range e.Modules {
		var data []byte
		for j := range cases {
			name, ok := strings.CutPrefix(from, cases[j].ID()+"/")
			if !ok {
				continue
			}
			for _, in := range cases[j].Inputs {
				if in.Name == name {
					data = in.Data
				}
			}
		}
		if data == nil {
			return m, fmt.Errorf("fuzz: the corpus has no %s", from)
		}
		m.add(i, module{from, data})
	}
	m.Args = append(m.Args, "-o", "out.cubin")
	return m, nil
}
