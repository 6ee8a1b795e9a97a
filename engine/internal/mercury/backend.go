// Package mercury is the backend of links for sm_100 and up, whose inputs hold
// every function twice. The link proper works on the Mercury side; this package
// writes it and makes the SASS side of it, as nvlink's finalizer does.
package mercury

import (
	"slices"
	"sync"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// Backend resolves and writes a link of Mercury code.
type Backend struct {
	*output.Planner
	*model.Program // of Planner

	decoded    []*code                  // by section of code, once it is decoded
	order      []*code                  // in the order of the output
	lineStarts map[lineStart]uint64     // where a unit's lines begin on the SASS side
	fences     bool                     // some input has GEN_ERRBAR_AT_EXIT, as code for debugging has: all EXITs get fences
	dependents []bool                   // by function: see mark6D
	capsules   map[int32]map[string]int // by input: see capsulesOf

	known verdicts // of relocations that are decided one by one

	found []*code // by section of code, as readCode finds it
	shelf shelf

	findNested sync.Once
	namedLast  map[uint32]uint32 // symbols of EXTERNS that become another, by index
	nested     []bool            // by section of code: see hasNested
}

// New returns the backend of a program.
func New(res *resolve.Resolution) *Backend {
	l := &Backend{Planner: output.New(res), Program: res.Program, decoded: make([]*code, len(res.Secs)), lineStarts: make(map[lineStart]uint64)}
	l.fences = !l.Release.FirstNotes && slices.ContainsFunc(l.ModuleAttributes, func(a model.Attribute) bool { return a.Attr == cuda.AttrGenErrbarAtExit })
	l.readCode()
	return l
}

// opened returns the code of a section that is decoded, nil for none.
func (l *Backend) opened(id model.SecID) *code {
	if id < 0 {
		return nil
	}
	return l.decoded[id]
}
