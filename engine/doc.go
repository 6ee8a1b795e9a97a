// Package engine links relocatable cubins as nvlink does, byte for byte.
//
// A link is a chain of phases, each a package below internal with a result that
// the next one takes and no later one changes:
//
//	input      the inputs' frames, the release, the target
//	merge      sections, symbols, functions and relocations of all inputs
//	reach      the call graph, and what lives
//	layout     shared memory, constant banks, texture slots
//	resources  registers, stack and barriers of each kernel
//	resolve    what happens to each relocation
//	output     which sections and symbols there are, in which order
//
// Two backends write the file: sass, and mercury for sm_100 and up. Releases of
// nvlink differ in details, which package release names; there is one code for
// all.
//
// The rules come from runs of nvlink 11.8.89, 12.4.131 and 13.0.88 on cubins
// of ptxas. Where a rule looks arbitrary (the sort that isn't stable, the
// relocations in reverse), it is what makes the bytes equal.
package engine
