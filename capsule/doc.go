// Package capsule reads and writes the Mercury side of NVIDIA's device
// objects for sm_100 and up.
//
// Such an object holds every function twice. .text.F is SASS, the code of one
// chip. .nv.capmerc.text.F, the capsule, is what is missing from that SASS to
// be Mercury, the form that a linker works on and that a finalizer turns into
// SASS again. Around the capsule stands a second, smaller object: symbols
// (.nv.merc.symtab), attributes (.nv.merc.nv.info…), relocations
// (.nv.merc.rela…) and debug data (.nv.merc.debug…) whose offsets count Mercury
// bytes instead of SASS bytes.
//
// [Capsule] is the stream of nodes and the map between the two address spaces;
// [Image] is a file with both sides found and paired, as a self-check needs it.
// Package internal/capsule/model has a whole file decoded into typed values and encoded
// from them, package internal/dwarf the debug sections.
//
// No public document describes the format. Everything here was read from some
// 4,000 objects of ptxas 13.0.88 and 13.5.37, from libraries that NVIDIA built
// with releases 12.9 to 13.4, and from what nvlink 13.0.88 and 13.5.37 did with
// edited ones.
package capsule
