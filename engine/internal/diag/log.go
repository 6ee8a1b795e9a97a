// Package diag has the messages and errors of a link.
package diag

// Log collects what a link says.
type Log struct {
	Diags  []Diagnostic
	Failed bool // some message is an Error
}
