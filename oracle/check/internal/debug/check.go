package debug

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

// check holds a link against what it has to be.
type check struct{ *apply.Applied }

// Frames checks call frames.
func Frames(a *apply.Applied) error { return (&check{a}).compareFrames() }

// Lines checks line tables.
func Lines(a *apply.Applied) error { return (&check{a}).compareLines() }
