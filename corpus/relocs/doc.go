// Package relocs is the corpus of conformance vectors for relocations: what
// nvlink of three releases did with records of every type, R_CUDA and
// R_MERCURY, against every kind of symbol.
//
// A [Vector] is one link. It names a template, which is an object that ptxas
// made (with the objects linked before it, where there are any), and says what
// is changed in it: the records of one section, the bytes they patch, now and
// then a number of a symbol or a section. [Vector.Inputs] builds the files. What
// nvlink made of them is in [Vector.Results], one for each behaviour that
// was seen, and [Vector.Compare] holds another linker's answer against it.
//
//	for v := range relocs.Vectors() {
//		inputs, err := v.Inputs()
//		…
//		for _, release := range v.Releases() {
//			answer := link(release, v.Args(), inputs)
//			if err := v.Compare(release, answer); err != nil { … }
//		}
//	}
//
// Everything is embedded: neither the tree nor NVIDIA's tools are needed. The
// data is made by corpus/internal/vectors; README.md describes its format and what
// the vectors taught.
package relocs
