// Package resolve finds out what each name of the inputs stands for: which definition was
// taken, which lost, and which are one.
package resolve
