// Package corpus is what NVIDIA's own tools were seen to do, as data.
//
//   - [Links] are recorded links for sm_50 to sm_90a: programs of several PTX modules, the cubins that ptxas made of
//     them, and what nvlink of three releases answered when it was asked to link them: a cubin, or a refusal with its
//     text. [Mercury] are those for sm_100 and up, whose objects hold two sides. [Behaviours] are small ones that show one behaviour each.
//   - [Capsules] are device objects for sm_100 and up; [Mutants] are edits of those, with what nvlink did with each.
//   - [Relocs] holds the conformance vectors for relocations, which package corpus/relocs reads.
//
// The data lies below testdata, a folder for each kind with a README.md that describes its form: release, tool and
// arguments are recorded for every file. It is embedded, so that neither the tree nor NVIDIA's tools are needed; a
// program that doesn't call a function here doesn't carry its data. The programs below internal make all of it again.
package corpus
