// Package objects makes whole links from bytes: relocatable cubins as ptxas writes them, of which nothing comes from a
// file.
//
// A [Link] describes one to six modules by what a linker looks at: names with their kinds, who defines them and how
// (strong, weak, common, local), sizes and places, registers, stacks and barriers, who calls whom (in a circle too, and
// through pointers), and relocation records of any type. [Read] makes one of any bytes, and [Link.Write] makes the bytes
// of one, so that a link that somebody thought of is an input for a fuzzer. [Link.Objects] makes the files.
//
// Most links are sound: what is used is defined once, and sizes agree. A [Feature] lets go of one of these rules at a
// time.
//
// The form of the files is that of ptxas 11.8.89, 12.4.131 and 13.0.88 (see docs/architecture.md for the sections).
package objects
