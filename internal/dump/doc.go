// Package dump decodes a cubin into what a person wants to read: names for
// numbers, symbols for indices, fields for relocations.
//
// Read makes a model of a file, part by part; Text prints one, and JSON does.
// Package diff compares models.
//
// A file may lie about everything, and its parts may overlap, so that a small
// file could describe a huge dump. Read therefore works on a budget, 64 MB and
// sixteen times the file for the model and the names in it, and fails with a
// *cubin.Error of kind OverBudget where the file asks for more. What is wrong
// inside one section is reported in that section's Fault; the rest is still read.
package dump
