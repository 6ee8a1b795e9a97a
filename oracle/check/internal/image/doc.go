// Package image reads device ELF files as tables: the ELF header, sections, symbols,
// segments, relocations, attributes, pairs of the call graph. It knows nothing of what
// sections mean, but for the two sides of a file for sm_100 and up, of which a view shows one.
//
// [Budget] bounds the work of a check, and [Groups] is the list by key that all phases use.
package image
