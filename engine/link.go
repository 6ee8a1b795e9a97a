package engine

import (
	"io"

	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/merge"
	"github.com/twinlink/twinlink/engine/internal/reach"
	"github.com/twinlink/twinlink/engine/internal/resolve"
	"github.com/twinlink/twinlink/engine/internal/resources"
)

// link is the chain of phases. Each takes the last one's result and returns its
// own, which no later one changes.
func link(set *input.Set, to io.WriterAt) ([]byte, int, error) {
	set.Begin("merge")
	program, err := merge.Merge(set)
	if err != nil {
		return nil, 0, err
	}
	set.Begin("reach") // before layout, which leaves dead code out
	graph := reach.Find(program)

	set.Begin("layout") // before resources: constants and slots count as records
	placed, err := layout.Compute(graph)
	if err != nil {
		return nil, 0, err
	}
	set.Begin("resources")
	usage := resources.Compute(placed)
	if program.Unpatched != nil { // told after what is said of stacks
		return nil, 0, program.Unpatched
	}
	if set.Opt.Calls != nil {
		usage.EachCall(set.Opt.Calls)
	}

	set.Begin("resolve") // the tool reports what is undefined before it looks at relocations
	res, err := resolve.Check(usage)
	if err != nil {
		return nil, 0, err
	}
	by := backendOf(res)
	if err := res.DecideAll(by); err != nil {
		return nil, 0, err
	}
	set.Begin("write")
	if set.Failed {
		to = nil
	}
	image, err := by.Write(to)
	if set.Failed && (err == nil || set.Dialect.OutputOfFailed) {
		return nil, 0, &LinkError{Exit: failedExit, Image: image, Left: by.Left()}
	}
	return image, by.Left(), err
}
