// Package facts checks the attributes of .nv.info: those of the inputs, and for kernels what
// they owe to the code that they reach.
package facts
