// Package documents follows the seed documents' account of nvlink's relocation
// engine to the letter: a 64-byte descriptor and a place go in, the pseudocode
// is walked slot by slot in 64-bit words, and a trace comes out.
//
// It is a model of what the documents say, not of what a relocation means;
// that is package oracle, and the two are compared in this package's tests.
// The documents disagree with each other in places. Which reading is followed
// here, and why, is in CONTRADICTIONS.md.
//
// Sources: seed documents relocation-application-engine ("engine"),
// relocation-action-glossary ("glossary"), r-cuda-relocations ("catalog").
//
// Descriptors and places may be hostile: nothing panics, nothing runs longer
// than the place is long, and whatever cannot be followed is a typed error.
package documents
