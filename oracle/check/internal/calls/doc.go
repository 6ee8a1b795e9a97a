// Package calls checks the call graph and the prototypes.
package calls
