// Package engine links relocatable cubins as nvlink does, byte for byte.
//
// A link goes through the phases of the tool: read and merge every input in
// order; remove functions nothing reaches; lay out shared memory, constant
// banks and texture slots; propagate registers, stack and barriers to the
// kernels; decide for each relocation whether it is applied, kept for the
// driver or dropped; order and write the image. Releases of nvlink differ in
// details, which a profile names; there is one code for all.
//
// The rules come from runs of nvlink 11.8.89, 12.4.131 and 13.0.88 on cubins
// of ptxas. Where a rule looks arbitrary (the sort that isn't stable, the
// relocations in reverse), it is what makes the bytes equal.
package engine
