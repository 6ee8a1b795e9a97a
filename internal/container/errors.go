package container

import "fmt"

// ErrorKind says what sort of thing is wrong with a file.
type ErrorKind uint8

const (
	Unrecognized   ErrorKind = iota + 1 // no format this package knows
	BadHeader                           // a header field has no valid value
	OutOfBounds                         // an extent is outside what holds it
	BadCompression                      // compressed bytes that don't unpack to what the header says
	Unsupported                         // a well-formed thing that can't be read
	OverBudget                          // more members or bytes than the budget allows
	TooDeep                             // archives inside archives beyond MaxDepth
	Missing                             // a member of a thin archive that can't be read
	NoSuchMember                        // nothing fits what was asked for
)

// String returns the kind in words.
func (k ErrorKind) String() string {
	switch k {
	case Unrecognized:
		return "unrecognized file"
	case BadHeader:
		return "bad header"
	case OutOfBounds:
		return "out of bounds"
	case BadCompression:
		return "bad compressed data"
	case Unsupported:
		return "not supported"
	case OverBudget:
		return "over budget"
	case TooDeep:
		return "archives nested too deep"
	case Missing:
		return "missing member file"
	case NoSuchMember:
		return "no such member"
	}
	return "unknown fault"
}

// Error is a fault of one file. Path is the file, with the archive members on
// the way to the fault after colons: "lib.a:foo.o". Offset counts from the
// beginning of the last of them.
type Error struct {
	Kind   ErrorKind
	Path   string
	Offset uint64
	Value  uint64
	Detail string
}

// Error returns one line that names path, offset and value.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s at offset 0x%x: value 0x%x: %s", e.Path, e.Kind, e.Offset, e.Value, e.Detail)
}

// Is reports whether target is an *Error of the same kind with no path set.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Path == "" && t.Kind == e.Kind
}
