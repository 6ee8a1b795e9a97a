package container

import (
	"bytes"
	"encoding/binary"
)

// window returns data[off : off+n], or false where that isn't inside data. It
// is the one place where bytes of a file are cut.
func window(data []byte, off, n uint64) ([]byte, bool) {
	size := uint64(len(data))
	if off > size || n > size-off {
		return nil, false
	}
	return data[off : off+n : off+n], true
}

// cString returns the NUL-terminated string at off, false where none ends
// inside data.
func cString(data []byte, off uint64) (string, bool) {
	tail, ok := window(data, off, uint64(len(data))-min(off, uint64(len(data))))
	if !ok {
		return "", false
	}
	n := bytes.IndexByte(tail, 0)
	if n < 0 {
		return "", false
	}
	return string(tail[:n]), true
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
