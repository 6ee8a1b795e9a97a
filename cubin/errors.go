package cubin

import (
	"fmt"
	"strings"
)

// Kind says what sort of thing is wrong with a file.
type Kind uint8

const (
	NotELF        Kind = iota + 1 // no ELF magic
	NotDevice                     // ELF of another machine
	BadHeader                     // a header field has no valid value
	BadTable                      // a table is outside the file or has a wrong entry size
	BadExtent                     // a section's bytes are outside the file
	BadName                       // a name is outside its string table or has no end
	BadIndex                      // a section or symbol index names nothing
	BadRecord                     // a record inside a section is cut short or malformed
	OverBudget                    // the file asks for more memory or steps than allowed
	BadRelocation                 // a relocation names a place or a symbol that isn't there
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case NotELF:
		return "not an ELF file"
	case NotDevice:
		return "not a device ELF file"
	case BadHeader:
		return "bad ELF header"
	case BadTable:
		return "bad table"
	case BadExtent:
		return "section outside the file"
	case BadName:
		return "bad name"
	case BadIndex:
		return "bad index"
	case BadRecord:
		return "bad record"
	case OverBudget:
		return "over budget"
	case BadRelocation:
		return "bad relocation"
	}
	return "unknown fault"
}

// Error is a fault of one file: what, in which section, at which byte offset
// of that section (of the file where Section is ""), and the value found.
type Error struct {
	Kind    Kind
	File    string
	Section string
	Offset  uint64
	Value   uint64
	Detail  string
}

// Error returns one line that names file, section, offset and value.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.File, e.Kind)
	if e.Section != "" {
		fmt.Fprintf(&b, " in section %s", e.Section)
	}
	fmt.Fprintf(&b, " at offset 0x%x: value 0x%x", e.Offset, e.Value)
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	return b.String()
}

// Is reports whether target is an *Error of the same kind with no file set,
// so that errors.Is(err, &cubin.Error{Kind: cubin.BadTable}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.File == "" && t.Kind == e.Kind
}
