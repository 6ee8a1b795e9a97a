package image

// The one place where bytes of a file are taken apart. Everything else goes
// through cut and number, so nothing else can reach after an end.

// Cut returns size bytes from at on, or false where there are fewer.
func Cut(b []byte, at, size uint64) ([]byte, bool) {
	if at > uint64(len(b)) || size > uint64(len(b))-at {
		return nil, false
	}
	return b[at : at+size : at+size], true
}

// Number reads an unsigned number of width bytes, lowest byte first. Where
// bytes are missing it is 0: the readers of tables ask for whole entries
// beforehand.
func Number(b []byte, at, width uint64) uint64 {
	part, ok := Cut(b, at, width)
	if !ok {
		return 0
	}
	n := uint64(0)
	for i := len(part) - 1; i >= 0; i-- {
		n = 256*n + uint64(part[i])
	}
	return n
}

// Word is a number of four bytes.
func Word(b []byte, at uint64) uint32 { return uint32(Number(b, at, 4)) }

// Text reads the NUL-terminated string at an offset of a string table.
func Text(table []byte, at uint64) (string, bool) {
	rest, ok := Cut(table, at, uint64(len(table))-min(at, uint64(len(table))))
	if !ok {
		return "", false
	}
	for i, b := range rest {
		if b == 0 {
			return string(rest[:i]), true
		}
	}
	return "", false
}

// RoundUp returns the least multiple of step that is not below n; a step of 0
// or 1 changes nothing.
func RoundUp(n, step uint64) uint64 {
	if step < 2 || n%step == 0 {
		return n
	}
	return n + step - n%step
}
