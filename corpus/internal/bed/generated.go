package main

import (
	"fmt"

	"github.com/twinlink/twinlink/internal/ptxgen"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// generate takes programs of the project's own generator among the sources. Each is
// a few modules that call each other and share data; in one of three, or in all where
// -launching says so, code and data hold addresses of kernels.
func (b *bed) generate(count int) {
	targets := []ptxgen.Target{ptxgen.Old, ptxgen.Lanes, ptxgen.Stack, ptxgen.Hopper11, ptxgen.Hopper12}
	for i := range uint64(count) {
		seed := b.seed<<20 + i
		r := splitmix.New(seed)
		target, options := splitmix.Pick(r, targets), ptxgen.Options{}
		if r.OneIn(3) || b.launching {
			for _, f := range ptxgen.Launching() {
				if r.Below(3) > 0 {
					options.Also = append(options.Also, f)
				}
			}
		}
		p := ptxgen.New(seed, target, options)
		for _, m := range p.Modules {
			b.sources = append(b.sources, source{family: fmt.Sprintf("generated-%d", seed), name: m.Name + ".ptx", text: []byte(m.Text)})
		}
	}
}
