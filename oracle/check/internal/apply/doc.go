// Package apply applies the relocations of the inputs, by the recipes of package oracle, on
// the places that the output has: after it each area knows what its bytes must be, and which
// records must stay.
package apply
