// Package shared checks the places of shared variables: those of one kernel share no bytes, and
// the kernel asks for enough.
package shared
