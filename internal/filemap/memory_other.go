//go:build !linux

package filemap

// mapFile returns nil: elsewhere files are read.
func mapFile(string, int) []byte { return nil }

// hugeHeap does nothing: elsewhere the system chooses the size of pages.
func hugeHeap(int) {}
