package main

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// mapped returns n zeroed bytes of huge pages where the kernel has some to
// spare, nil where it maps nothing: filling small pages takes longer than
// reading a file into them.
func mapped(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) // advice: small pages do as well
	return b
}

// mapFile returns a view of the first size bytes of a file, nil where it can't
// be mapped. It stays until the process ends.
func mapFile(name string, size int) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
	if err != nil {
		return nil
	}
	return b
}

// hugePage is the size of the kernel's large pages.
const hugePage = 2 * mebibyte

// hugeHeap lets the next n bytes of the heap be huge pages. It takes that much
// from the heap, advises the kernel before any of it is touched, and gives it
// back, so that what is allocated next comes from there: most of what a big
// link asks of the system is page faults.
func hugeHeap(n int) {
	b := make([]byte, n+hugePage)
	from := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % hugePage
	_ = syscall.Madvise(b[from:from+uintptr(n)&^(hugePage-1)], syscall.MADV_HUGEPAGE)
	runtime.KeepAlive(b)
	runtime.GC()
}
