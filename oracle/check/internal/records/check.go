package records

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

// check holds a link against what it has to be.
type check struct{ *apply.Applied }

// Kept checks the records that stay for the driver.
func Kept(a *apply.Applied) error { return (&check{a}).compareRecords() }

// Resolved checks what --preserve-relocs writes down.
func Resolved(a *apply.Applied) error { return (&check{a}).compareResolved() }
