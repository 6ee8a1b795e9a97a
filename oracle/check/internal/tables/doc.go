// Package tables checks the file itself: the ELF header, section and program headers, notes,
// .nv.compat, and the call graph of the Mercury side.
package tables
