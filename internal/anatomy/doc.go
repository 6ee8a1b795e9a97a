// Package anatomy reads what a linked file is made of: its memory spaces with
// the objects in them, its functions with registers, stack frames and calls,
// and why the stack of a kernel cannot be statically determined.
//
// It reads what is in the file and computes nothing that a linker decides,
// but for the stack of a function, which is its frame and the largest of the
// functions it can call.
package anatomy
