// Package cputime says how much processor time this process has used.
//
// A test that bounds an operation by the clock fails on a busy machine, and one
// with bounds wide enough for that finds nothing. Time of the process's own stays
// what it is whoever else is at work; a test that uses it must not run beside
// others of its process.
package cputime
