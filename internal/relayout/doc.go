// Package relayout writes a linked file in another layout, as another linker might that is right as well: other numbers
// for sections and symbols, other string tables, another order in the file and in memory. It links nothing, and
// knows no more of the format than what holds a number, an offset or a place.
//
// The check of an output (oracle/check) has to say of such a file what it says of the first.
package relayout
