// Package vectorlink links the inputs of a conformance vector with the engine.
package vectorlink

import (
	"errors"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// Link links a vector's inputs with the engine as a release.
func Link(v *relocs.Vector, release string, inputs []relocs.Input) relocs.Answer {
	args := append([]string{"-o", "out.cubin"}, v.Args()...)
	var in []engine.Input
	for _, i := range inputs {
		args = append(args, i.Name)
		in = append(in, engine.Input{Name: i.Name, Data: i.Data})
	}
	r, _ := cmdline.ParseRelease(release)
	cmd, err := cmdline.Parse(r, args, nil)
	if err != nil {
		return relocs.Answer{Message: err.Error()}
	}
	out, err := engine.Link(in, cmd.Options)
	var refused *engine.LinkError
	if errors.As(err, &refused) {
		return relocs.Answer{Message: refused.Error(), Exit: refused.Exit}
	}
	var b strings.Builder
	for i := range out.Diags {
		b.WriteString(out.Diags[i].String() + "\n")
	}
	return relocs.Answer{Image: out.Image, Message: b.String()}
}
