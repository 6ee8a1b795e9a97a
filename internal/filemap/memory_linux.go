package filemap

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/container"
)

// mapFile returns a view of the first size bytes of a file, nil where it can't
// be mapped. It stays until the process ends. All of a cubin is read, so that its
// pages are asked for at once; of an archive or a host object a part.
func mapFile(name string, size int) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	flags := syscall.MAP_PRIVATE
	var head [cubin.HeaderSize]byte
	if n, _ := f.ReadAt(head[:], 0); container.Identify(head[:n]) == container.DeviceCode {
		flags |= syscall.MAP_POPULATE
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, flags)
	if err != nil {
		return nil
	}
	return b
}

// hugePage is the size of the kernel's large pages.
const hugePage = 2 * Mebibyte

// hugePages lets the kernel back memory that nobody has touched yet with large
// pages: of that most of the cost is page faults.
func hugePages(b []byte) {
	from := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % hugePage
	if n := (uintptr(len(b)) - min(from, uintptr(len(b)))) &^ (hugePage - 1); n > 0 {
		_ = syscall.Madvise(b[from:from+n], syscall.MADV_HUGEPAGE)
	}
}

// hugeHeap lets the next n bytes of the heap be huge pages. It takes that much
// from the heap, advises the kernel before any of it is touched, and lets it be
// collected, so that what is allocated next comes from there: most of what a big
// link asks of the system is page faults. The collection goes on beside
// what is done next; runtime.GC would spin until it is over.
func hugeHeap(n int) {
	hugePages(make([]byte, n+hugePage))
	debug.SetGCPercent(100)
	runtime.KeepAlive(make([]byte, Mebibyte)) // a large allocation looks whether it is time
}
