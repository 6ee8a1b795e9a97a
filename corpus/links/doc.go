// Package links is the corpus of recorded links: programs of several PTX modules, the cubins ptxas made of them, and
// what nvlink of three releases answered when it was asked to link them: a cubin, or a refusal with its text.
//
// The files are embedded, so tests of the engine need neither the tree nor NVIDIA's tools. README.md describes
// manifest.json, which names tool, release and arguments for every file; corpus/regen makes them all anew.
package links
