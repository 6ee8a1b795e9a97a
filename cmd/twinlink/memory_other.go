//go:build !linux

package main

// mapped returns nil: elsewhere the heap serves.
func mapped(int) []byte { return nil }

// mapFile returns nil: elsewhere files are read.
func mapFile(string, int) []byte { return nil }

// hugeHeap does nothing: elsewhere the system chooses the size of pages.
func hugeHeap(int) {}
