// Package capsules is a corpus of device objects for sm_100 and up: what ptxas
// made of PTX for all of these targets, with and without debug data, optimised
// or not, whole programs or relocatable; what nvlink linked of them; and
// mutants, edits of those files with what nvlink did with each.
//
// The files are embedded. README.md describes the manifests, which name tool,
// release and arguments for every file; corpus/capsules/regen makes all of it
// anew.
package capsules
