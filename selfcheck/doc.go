// Package selfcheck asks of a device object for sm_100 and up whether its two
// sides, SASS and Mercury, say the same.
//
// NVIDIA's finalizer has such a check (errors 17, 18 and 19), but no command
// line of its tools reaches it. It works in two passes: the first collects the
// SASS texts, the relocations and the debug sections; the second takes the
// finished file, makes the SASS side again from the Mercury side, and compares,
// texts first, then relocations, then debug sections. This package does the
// same from outside, with what is known of the format:
//
//   - The instructions of stored nodes are made from their Mercury records by
//     learned rules (package mercury). A form that no rule covers is counted as
//     unknown, never as passed.
//   - PLAIN nodes have no record: SASS is their source. What can be checked is
//     that the word is one that a finalizer could have written.
//   - Symbols, attributes, relocations, jump tables, initialisers, frames and
//     line tables are made from their Mercury counterparts with the node map.
//
// What the Mercury side can't tell is listed as data in exceptions.go, each
// with its reason.
package selfcheck
