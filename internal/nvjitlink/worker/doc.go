// Package worker is the process that loads nvJitLink and links for
// internal/nvjitlink. It alone imports purego, which loads the library without
// cgo; neither the engine, the oracle nor cmd/twinlink import it.
//
// A library of foreign code shares the process: it may crash it, hang it, write
// over its memory or print into its files. So the process has nothing but the
// job: it reads questions from file descriptor 3 and writes answers to 4, one
// after the other, on one thread of the operating system. What the library
// prints goes to a file that is standard output and standard error at once, and
// comes back with the answer. Standard input is a pipe that nothing writes to:
// where it ends, the parent is gone, and so is the worker.
//
// A program becomes a worker by calling [Main] first:
//
//	func main() {
//		worker.Main() // doesn't return where the parent asked for a worker
//		...
//	}
package worker
