// Package ptxgen writes random programs of several PTX modules, for linkers to be tried on.
//
// A program is a function of a seed (New) or of the bytes a fuzzer supplies (FromBytes), of the Target it is
// written for and of Options: the same arguments give the same text on every machine and with every Go release.
// The programs are legal PTX and, unless Options.Faults asks otherwise, legal links; what they compute is of no interest.
//
// Each program is drawn from its own random subset of features, so that features also meet without all the others
// around them.
package ptxgen
