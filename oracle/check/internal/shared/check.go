package shared

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

type check struct {
	*apply.Applied

	arrays           *externArrays    // nil: none
	overlapsObserved map[*joined]bool // sets whose overlaps were told
}

// Compare checks the places of shared variables.
func Compare(a *apply.Applied) error { return (&check{Applied: a}).compareShared() }
