// Package reach finds out what calls what, what has to be in the output, and what kernels owe
// to the code that they reach: registers, stack, barriers.
package reach
