// Package nv50 checks what the page on NV50 says against itself: its address functions against its prose, its masks against
// each other, its example against its rules, its tables against each other.
//
// There is no such hardware here and no tool for sm_10 to sm_13, so what only a chip could show is not observable and the
// ledger says so. What the page computes can be computed, and is here, in tests that name the claims they decide.
package nv50
