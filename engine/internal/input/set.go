// Package input is the first phase: it opens the inputs, picks the release to
// behave as and checks that every input fits release and target.
package input

import (
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/release"
	"github.com/twinlink/twinlink/engine/internal/room"
)

// Set is the inputs of a link and what they are linked as.
type Set struct {
	diag.Log
	Opt     *Options
	Release *release.Release
	Arch    release.Target
	Dialect *release.Dialect

	Files []*cubin.File // of Mercury inputs the views
	Sides []Sides       // of Mercury inputs both sides

	// ForwardProgress: some input was written for an SM whose threads advance
	// independently, so that its YIELDs stay.
	ForwardProgress bool
	// Lockstep: some input was written for an SM whose threads don't.
	Lockstep bool

	WholeProgram bool // some input was compiled with -ewp
	compat       bool // an input so far has a .nv.compat

	Room   room.Room // for tables
	total  int64     // bytes of all inputs
	Budget int64     // bytes and steps that the link may still take
}

// Open opens and checks the inputs. The set holds the warnings also where it
// fails.
func Open(inputs []Input, opt *Options) (*Set, error) {
	l := &Set{Opt: opt, Dialect: &release.SASS, Room: room.Of(opt.Scratch)}
	if err := l.open(inputs); err != nil {
		return l, err
	}
	if l.Opt.PreserveRelocs && l.Arch.SM >= cuda.SM(90) {
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Unsupported, Text: fmt.Sprintf(
			"Option '--preserve-relocs' is not fully implemented for gpu archtecture '%s' and may not work as expected", l.Arch.Name)})
	}
	return l, nil
}

// Begin notes that a phase of the link begins.
func (l *Set) Begin(phase string) {
	if l.Opt.OnPhase != nil {
		l.Opt.OnPhase(phase)
	}
}
