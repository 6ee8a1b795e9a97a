// Package cuda is the vocabulary of NVIDIA's device ELF files: section types
// and flags, symbol types and st_other bits, .nv.info attributes, relocation
// numbers and names, SM numbers.
//
// It holds numbers and names and no logic, because it is the one package that
// both the engine and the oracle import: what is here is shared by both
// opinions and can't be checked by setting them against each other. Each file
// says where its facts were read.
package cuda
