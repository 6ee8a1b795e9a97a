package cubin

import (
	"bytes"
	"unsafe"
)

// Window returns data[off : off+n], or false where that isn't inside data. It
// is the one place where bytes of an input are cut.
func Window(data []byte, off, n uint64) ([]byte, bool) {
	size := uint64(len(data))
	if off > size || n > size-off {
		return nil, false
	}
	return data[off : off+n : off+n], true
}

// record returns the i-th record of size n of a table, or false past its end.
func record(table []byte, i, n int) ([]byte, bool) {
	if i < 0 {
		return nil, false
	}
	return Window(table, uint64(i)*uint64(n), uint64(n))
}

// cString returns the NUL-terminated string at off of a string table. The
// result shares the table's memory: the caller keeps the file alive.
func cString(table []byte, off uint64) (string, bool) {
	if off >= uint64(len(table)) {
		return "", false
	}
	tail := table[off:]
	n := bytes.IndexByte(tail, 0)
	if n < 0 {
		return "", false
	}
	return viewString(tail[:n]), true
}

// viewString is string(b) without the copy; b must not change afterwards.
func viewString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}
