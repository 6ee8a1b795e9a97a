package engine

import (
	"errors"
	"io"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/mercury"
	"github.com/twinlink/twinlink/engine/internal/release"
	"github.com/twinlink/twinlink/engine/internal/resolve"
	"github.com/twinlink/twinlink/engine/internal/sass"
)

// Link links inputs in order. A refusal is a *LinkError.
func Link(inputs []Input, opt Options) (*Output, error) { return LinkTo(nil, inputs, opt) }

// LinkTo is Link, but that the image is written to w piece by piece, several at a
// time and in any order, and Output has none: so large a link needs less memory.
// After an error what was written is of no use.
func LinkTo(w io.WriterAt, inputs []Input, opt Options) (*Output, error) {
	if opt.OnPhase != nil {
		opt.OnPhase("input")
	}
	set, err := input.Open(inputs, &opt)
	if err != nil {
		return nil, refusal(set, err)
	}
	image, left, err := link(set, w)
	if err != nil {
		return nil, refusal(set, err)
	}
	return &Output{Image: image, Release: set.Release.Name, Diags: set.Diags, Left: left}, nil
}

// failedExit is nvlink's exit status after errors that aren't fatal.
const failedExit = 255

// backend is how one kind of code is resolved and written.
type backend interface {
	resolve.Rules
	// Write plans the output and writes it to to; with nil it is returned.
	Write(to io.WriterAt) ([]byte, error)
	// Left returns, after Write, how many sections were made and aren't in the image.
	Left() int
}

func backendOf(res *resolve.Resolution) backend {
	if res.Dialect == &release.Mercury {
		return mercury.New(res)
	}
	return sass.New(res)
}

// refusal makes a *LinkError of any error, the warnings before it included.
func refusal(set *input.Set, err error) *LinkError {
	var refused *LinkError
	if !errors.As(err, &refused) {
		refused = &LinkError{Exit: 1, Err: err}
		var fault *cubin.Error
		if errors.As(err, &fault) {
			refused.Diags = []Diagnostic{{Severity: Fatal, Kind: Malformed, Text: fault.Error(), File: fault.File,
				Section: fault.Section, Offset: fault.Offset, Value: fault.Value}}
		} else {
			refused.Diags = []diag.Diagnostic{{Severity: Fatal, Kind: Internal, Text: err.Error()}}
		}
	}
	refused.Diags = append(append([]Diagnostic(nil), set.Diags...), refused.Diags...)
	return refused
}
