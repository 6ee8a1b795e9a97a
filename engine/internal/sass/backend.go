// Package sass is the backend of links of SASS alone.
package sass

import (
	"github.com/twinlink/twinlink/engine/internal/output"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// Backend resolves and writes a link of SASS.
type Backend struct{ *output.Planner }

// New returns the backend of a program.
func New(res *resolve.Resolution) *Backend { return &Backend{output.New(res)} }

// Write plans the output and writes it.
func (l *Backend) Write() ([]byte, error) {
	img, err := l.plan()
	if err != nil {
		return nil, err
	}
	return l.emit(img)
}
