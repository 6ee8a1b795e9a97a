package main

import (
	"slices"

	"github.com/twinlink/twinlink/internal/ptxgen"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// architectures are those that ptxas and nvlink of a release know and that are linked without Mercury.
var architectures = map[string][]string{
	"11.8": {"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"},
	"12.4": {"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"},
	"13.0": {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a"},
}

// a plan is one case before any tool has run.
type plan struct {
	seed    uint64
	release string // of nvlink
	arch    string
	modules []source
	args    []string // of nvlink, besides -arch, the inputs and -o
	files   []file   // that args name
	behind  bool     // args follow the inputs
	final   bool     // the output is linked again, alone
}

// source is one module and how it is compiled.
type source struct {
	ptxgen.Module
	release string // of ptxas
	flags   []string
}

type file struct {
	name string
	data []byte
}

// draw returns the case of a seed, out of releases (of which there is at least one) and, where arch isn't "", for that
// architecture alone.
func draw(seed uint64, releases []string, arch string) plan {
	r := splitmix.New(seed)
	p := plan{seed: seed, release: splitmix.Pick(r, releases), arch: arch}
	if arch == "" {
		p.arch = splitmix.Pick(r, architectures[p.release])
	}
	t := target(r, p.release, p.arch)
	program := ptxgen.New(seed, t, ptxgen.Options{Faults: r.OneIn(8)})
	for _, m := range program.Modules {
		p.modules = append(p.modules, source{Module: m, release: p.release})
	}
	if r.Below(2) == 0 {
		p.drawOptions(r, program)
	}
	if r.OneIn(10) { // an object of an older toolkit
		for i := range p.modules {
			older := splitmix.Pick(r, releases)
			reads := older != "11.8" || t != ptxgen.Hopper12
			if r.Below(2) == 0 && older < p.release && reads && slices.Contains(architectures[older], p.arch) {
				p.modules[i].release = older
			}
		}
	}
	if r.OneIn(5) {
		for i := range p.modules {
			j := i + r.Below(len(p.modules)-i)
			p.modules[i], p.modules[j] = p.modules[j], p.modules[i]
		}
	}
	return p
}

// target draws a PTX target that ptxas of the release can compile for the architecture.
func target(r *splitmix.Random, release, arch string) ptxgen.Target {
	list := []ptxgen.Target{ptxgen.Old, ptxgen.Lanes, ptxgen.Lanes}
	if arch != "sm_50" {
		list = append(list, ptxgen.Stack)
	}
	if arch >= "sm_90" {
		list = append(list, ptxgen.Hopper11, ptxgen.Hopper11)
		if release != "11.8" {
			list = append(list, ptxgen.Hopper12, ptxgen.Hopper12)
		}
	}
	return splitmix.Pick(r, list)
}

// mixed reports whether some module comes from another toolkit than the linker.
func (p *plan) mixed() bool {
	return slices.ContainsFunc(p.modules, func(s source) bool { return s.release != p.release })
}
