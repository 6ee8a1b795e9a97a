// Package code checks the bytes of every section: each is an input's, a field that a relocation
// wrote, or, in code for sm_100 and up, of a word that means what the input's means.
package code
