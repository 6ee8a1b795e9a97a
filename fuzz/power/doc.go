// Package power measures what the project's checks would find: it plants named faults in the project's own source, one
// at a time, and asks detector after detector, the cheap ones first, until one fails.
//
// The faults are data, in faults/AREA.txt: a file, a piece of its text that is there once, and what is in its
// place in the faulty program. Nothing in the program itself knows of them: a fault is inserted by the overlay of the go
// command, so that no file changes and all that a fault doesn't touch is built once.
//
//	fault  weak-taken-for-strong
//	file   engine/internal/merge/objects.go
//	old    if a.weak {
//	new    if !a.weak {
//
// A text that goes over several lines is written with \n; a line that begins with a quote is a string of Go. A fault
// that no detector can find because the program does the same with it has a reason, and where there can be one a proof:
//
//	equivalent  the sum is at most 31 here
//	proof       ./oracle TestSums
//
// An error, and never a pass: a text that isn't in its file any more or is there twice, a program that doesn't compile,
// a fault that survives without a reason, a reason for a fault that is found, a proof that fails or doesn't exist.
package power
