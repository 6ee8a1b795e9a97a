// Package prose assembles what a page on NV50 (2010) says in sentences, tables
// and lists of bits: blocks are laid out one after the other in the order that
// it tells, threads are listed and sorted, fields are put together bit by bit.
// Nothing is multiplied that can be counted.
//
// It imports nothing of package formula, which computes the same by the page's
// formulas; package nv50 holds the two against each other.
//
// Source: "Some information relating to NV50 CUDA and shader code", the wiki
// page of the nouveau project.
package prose
