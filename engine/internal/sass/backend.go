// Package sass is the backend of links of SASS alone.
package sass

import (
	"io"

	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// Backend resolves and writes a link of SASS.
type Backend struct {
	*output.Planner
	*model.Program // of Planner
}

// New returns the backend of a program.
func New(res *resolve.Resolution) *Backend {
	return &Backend{Planner: output.New(res), Program: res.Program}
}

// Write plans the output and writes it to to; with nil it is returned.
func (l *Backend) Write(to io.WriterAt) ([]byte, error) {
	img, err := l.plan()
	if err != nil {
		return nil, err
	}
	return l.emit(img, to)
}
