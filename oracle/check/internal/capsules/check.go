package capsules

import (
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

type check struct {
	*apply.Applied

	pairs map[uint32]*link.Area // Mercury side: capsules by section of the SASS
}

// Capsules checks that capsules read and name the SASS of their functions.
func Capsules(a *apply.Applied) error { return (&check{a, map[uint32]*link.Area{}}).compareCapsules() }

// Counterparts checks both sides against each other.
func Counterparts(a *apply.Applied) error { return (&check{Applied: a}).compareCounterparts() }

// Compare checks the capsule of a function.
func Compare(a *apply.Applied, of *link.Area) { (&check{Applied: a}).compareCapsule(of) }
