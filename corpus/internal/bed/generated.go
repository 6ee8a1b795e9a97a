package main

import (
	"fmt"

	"github.com/twinlink/twinlink/internal/ptxgen"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// generate takes programs of the project's own generator among the sources. Each is
// a few modules that call each other and share data.
func (b *bed) generate(count int) {
	targets := []ptxgen.Target{ptxgen.Old, ptxgen.Lanes, ptxgen.Stack, ptxgen.Hopper11, ptxgen.Hopper12}
	for i := range uint64(count) {
		seed := b.seed<<20 + i
		p := ptxgen.New(seed, splitmix.Pick(splitmix.New(seed), targets), ptxgen.Options{})
		for _, m := range p.Modules {
			b.sources = append(b.sources, source{family: fmt.Sprintf("generated-%d", seed), name: m.Name + ".ptx", text: []byte(m.Text)})
		}
	}
}
