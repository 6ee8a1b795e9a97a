package code

import "github.com/twinlink/twinlink/oracle/check/internal/apply"

// check holds a link against what it has to be.
type check struct{ *apply.Applied }

// Bytes checks the bytes of every section.
func Bytes(a *apply.Applied) error { return (&check{a}).compareBytes() }

// Registers checks where registers of the source are.
func Registers(a *apply.Applied) error { return (&check{a}).compareRegisters() }
