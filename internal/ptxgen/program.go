package ptxgen

import (
	"slices"

	"github.com/twinlink/twinlink/internal/splitmix"
)

// Module is one PTX file.
type Module struct {
	Name string // base name without extension
	Text string
}

// Program is what New and FromBytes return.
type Program struct {
	Modules  []Module
	Kernels  []string  // in order of definition, each once
	Objects  []string  // names of the variables that can be linked to
	Features []Feature // what was used, ascending
}

// Has reports whether the program uses f.
func (p Program) Has(f Feature) bool {
	for _, g := range p.Features {
		if f == g {
			return true
		}
	}
	return false
}

// Size bounds a program.
type Size int

// Sizes, from one or two modules of a few instructions to half a dozen with some twenty functions.
const (
	Any Size = iota // drawn from the seed
	Tiny
	Small
	Moderate
)

// Options vary what is generated.
type Options struct {
	Size   Size
	Faults bool      // one program in three gets a fault that a linker has to refuse
	Focus  []Feature // the subset of features, instead of a random one; what every program may have stays possible
	Also   []Feature // features besides the subset
}

// New returns the program of a seed.
func New(seed uint64, t Target, o Options) Program {
	return generate(random{splitmix.At(seed*0x2545f4914f6cdd1d + 1)}, t, o)
}

// FromBytes returns the program that a fuzzer's input describes. Any bytes give a program.
func FromBytes(data []byte, t Target, o Options) Program {
	return generate(&byteSource{data: data}, t, o)
}

func generate(c chooser, t Target, o Options) Program {
	p := newPlan(c, t, o)
	var out Program
	for i := range p.modules {
		out.Modules = append(out.Modules, Module{Name: p.modules[i].name, Text: p.modules[i].write()})
	}
	p.noteDead()
	for _, f := range p.functions {
		if f.entry && !slices.Contains(out.Kernels, f.name) {
			out.Kernels = append(out.Kernels, f.name)
		}
	}
	for _, v := range p.objects {
		if !v.static && v.space != textureRef && v.space != samplerRef && v.space != surfaceRef {
			out.Objects = append(out.Objects, v.name)
		}
	}
	for f := Feature(0); f < numFeatures; f++ {
		if p.used[f] {
			out.Features = append(out.Features, f)
		}
	}
	return out
}

// noteDead records whether some function is never mentioned.
func (p *plan) noteDead() {
	for _, f := range p.functions {
		mentioned := f.entry || f.alias != nil || len(f.defs) == 0
		for _, m := range p.modules {
			mentioned = mentioned || m.functions[f]
		}
		if !mentioned {
			p.use(DeadFunction)
			return
		}
	}
}
