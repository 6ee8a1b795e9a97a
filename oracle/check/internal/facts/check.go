package facts

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

// check holds a link against what it has to be.
type check struct{ *apply.Applied }

// Compare checks the attributes of .nv.info.
func Compare(a *apply.Applied) error { return (&check{a}).compareFacts() }
