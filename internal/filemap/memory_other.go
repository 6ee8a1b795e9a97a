//go:build !linux

package filemap

// mapFile returns nil: elsewhere files are read.
func mapFile(string, int) []byte { return nil }

// hugePages and hugeHeap do nothing: elsewhere the system chooses the size of pages.
func hugePages([]byte) {}
func hugeHeap(int)     {}
