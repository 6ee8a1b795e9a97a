// Package output plans what the two backends have in common: which sections and
// symbols are in the file, in which order, and the contents that the link makes.
package output

import (
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// Planner plans the output of a resolved program.
type Planner struct {
	*resolve.Resolution
	*model.Program // of Resolution
	Resolved       map[model.SecID][]resolvedAt

	left int // sections that were made and aren't in the image
}

// Left returns how many sections were made and aren't in the image.
func (l *Planner) Left() int { return l.left }

// New returns a planner.
func New(res *resolve.Resolution) *Planner { return &Planner{Resolution: res, Program: res.Program} }
