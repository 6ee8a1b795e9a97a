// Package formula computes what a page on NV50 (2010) gives formulas for, by the
// formulas as they stand: its C functions with C's precedence and 32-bit
// unsigned arithmetic, its masks as masks.
//
// It imports nothing of package prose, which assembles the same from the page's
// sentences; package nv50 holds the two against each other. Where the page has a
// table and no formula, the closed form that the table shows is here.
//
// Source: "Some information relating to NV50 CUDA and shader code", the wiki
// page of the nouveau project.
package formula
