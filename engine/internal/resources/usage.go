// Package resources finds what each kernel needs for the code it reaches:
// registers, stack, barriers.
package resources

import (
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Usage is the program with the needs of its kernels.
type Usage struct {
	*layout.Layout
	*model.Program // of Layout

	Stacks []kernelStack
	needs  map[model.FunID]uint32 // registers of live kernels and all they reach
	asks   []demands              // by function: what it asks for itself

	summaries []summary // by component, made when first asked for

	// countsBarriers: NUM_BARRIERS of what the only kernel of a link answers for counts as NUM_MBARRIERS (nvJitLink 12.5 to 12.9).
	countsBarriers bool
}

// Compute gives every live kernel of a final link what it needs.
func Compute(placed *layout.Layout) *Usage {
	l := &Usage{Layout: placed, Program: placed.Program}
	if !l.IsRelocatable() {
		l.propagate()
	}
	l.WarnUncalled() // after what is said of stacks
	return l
}
