//go:build !linux

package main

// mapFile returns nil: elsewhere files are read.
func mapFile(string, int) []byte { return nil }

// hugePages does nothing, as hugeHeap.
func hugePages([]byte) {}

// hugeHeap does nothing: elsewhere the system chooses the size of pages.
func hugeHeap(int) {}
