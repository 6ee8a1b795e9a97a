// Package nv50 answers questions about the first CUDA chips from the one page
// that describes them, twice: by its formulas (package formula) and by its
// sentences (package prose), and says where the two part.
//
// There is no such hardware here. That both sides agree shows that the page says
// one thing, not that a chip does it.
package nv50
