package symbols

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

// check holds a link against what it has to be.
type check struct{ *apply.Applied }

// Symbols checks the symbol table.
func Symbols(a *apply.Applied) error { return (&check{a}).compareSymbols() }

// Objects checks objects: inside their sections, aligned, apart.
func Objects(a *apply.Applied) error { return (&check{a}).compareObjects() }
