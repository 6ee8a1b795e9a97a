// Package debug checks what the finalizer writes anew for debuggers: call frames and line
// tables.
package debug
