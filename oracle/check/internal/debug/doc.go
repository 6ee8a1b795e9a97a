// Package debug checks what the finalizer writes again for debuggers: call frames and line
// tables.
package debug
