package tables

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

// check holds a link against what it has to be.
type check struct{ *apply.Applied }

// File checks the ELF header, the program headers and the sections of the file itself.
func File(a *apply.Applied) error { return (&check{a}).compareFile() }

// Layout checks where sections are in the file.
func Layout(a *apply.Applied) error { return (&check{a}).compareLayout() }

// Notes checks the notes and what the linker says of itself.
func Notes(a *apply.Applied) error { return (&check{a}).compareNotes() }

// Headers checks the section headers.
func Headers(a *apply.Applied) error { return (&check{a}).compareHeaders() }

// CounterpartCalls checks the Mercury side's call graph and prototypes.
func CounterpartCalls(a *apply.Applied) error { return (&check{a}).compareCounterpartCalls() }
