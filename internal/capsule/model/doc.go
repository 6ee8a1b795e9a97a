// Package model decodes a whole device object of sm_100 and up into typed
// values and encodes it from them: capsules as nodes and records, both
// .nv.info streams and .nv.compat as attributes, symbols, relocations, notes,
// call graphs, line programs, call frames and register tables as their records.
//
// Encoding takes no byte of these from the input: only what has no structure
// here (initialised data, DWARF's own tables, source text) is carried as bytes.
// That a file comes back byte for byte is therefore a proof that nothing of
// its Mercury side is lost in the model.
//
// The container itself, with headers, places, shared stretches and the gaps
// that the tools leave, is a [cubin.Editor].
package model
