// Package importrules holds the tests of the rules that the whole module keeps: which
// package may import which, how long a file may be, what no file may mention.
//
// The worth of the project is that two linkers are written apart. Nothing shows
// in a review when one line makes them share a helper, so a test does: every
// edge between packages is in a table (edges_test.go), and an edge that
// isn't there fails, as does a package that no row is about. To add one is to
// say why there, in the same change.
package importrules
