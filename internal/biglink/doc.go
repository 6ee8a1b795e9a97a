// Package biglink makes links as large as one wants, for benchmarks: ptxas would
// need minutes for what a linker does in a tenth of a second.
//
// One module is real, template.cubin.gz, what ptxas 11.8.89 makes of [Source]
// for sm_80: a kernel and 63 functions, each with a kilobyte of code, global and
// constant data of its own, and calls to each other and to the next module. The
// others are that module with other names. A name holds the number of its module
// in a fixed number of digits, so that nothing but the two string tables changes.
//
// No function is dead, and no call leads back: the first half of a module's
// functions calls the second half of the next module's.
package biglink
