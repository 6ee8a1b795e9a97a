package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// patience is how long a link of a few kilobytes may take before it counts as
// hung.
const patience = 10 * time.Second

// ask links a vector's inputs with nvlink of a release.
func (r *regen) ask(ctx context.Context, v *relocs.Vector, inputs []relocs.Input, release string) (relocs.Result, error) {
	files := make([]nvidia.File, len(inputs))
	for i, in := range inputs {
		files[i] = nvidia.File{Name: in.Name, Data: in.Data}
	}
	res, err := r.tools.Link(ctx, release, v.Args(), files)
	if err != nil {
		return relocs.Result{}, err
	}
	result := relocs.Result{Did: relocs.Linked}
	switch res.Outcome {
	case nvidia.Crashed:
		result.Did = relocs.Crashed
	case nvidia.Hung:
		result.Did = relocs.Hung
	case nvidia.Refused:
		result.Did, result.Exit = relocs.Refused, res.ExitCode
		result.Message = strings.TrimSpace(res.Message())
	case nvidia.Silent:
		return result, fmt.Errorf("%s: %s wrote no image and said nothing", v.ID, res.Tool.Path)
	default:
		if result, err = v.Observe(inputs, res.Output); err != nil {
			return result, fmt.Errorf("%s: %w", v.ID, err)
		}
		result.Message = strings.TrimSpace(res.Message())
		result.Images = []string{relocs.Checksum(res.Output)}
	}
	result.Releases = []string{release}
	return result, nil
}
