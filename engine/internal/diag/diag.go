package diag

import (
	"fmt"
	"strings"
)

// Severity is how nvlink ranks a message; each has a prefix of its own.
type Severity uint8

const (
	Info    Severity = iota // reported under -v
	Warning                 // the link goes on
	Error                   // the link goes on to the phase's end, and fails
	Fatal                   // the link ends
	Plain                   // output that was asked for, without a prefix
)

// prefix is what nvlink prints before the text.
func (s Severity) prefix() string {
	switch s {
	case Info:
		return "nvlink info    : "
	case Warning:
		return "nvlink warning : "
	case Error:
		return "nvlink error   : "
	case Plain:
		return ""
	}
	return "nvlink fatal   : "
}

// Kind says what a message is about, for programs.
type Kind uint8

const (
	Malformed          Kind = iota + 1 // an input is not a well-formed cubin
	WrongArch                          // an input is for another architecture
	WrongToolkit                       // an input is newer, or too old
	BadOption                          // an option has no valid value
	NoInput                            // nothing to link
	MultipleDefinition                 // two strong definitions of a name
	SizeMismatch                       // two sizes of a name
	SpaceMismatch                      // two memory spaces of a name
	EntryMismatch                      // a kernel here, a function there
	Undefined                          // a reference nothing defines
	RegisterLimit                      // a kernel with a register limit calls code that needs more
	SharedLimit                        // a kernel that uses more shared memory than the target has
	ConstantLimit                      // more constants than a bank holds
	ImageLimit                         // a kernel with more textures, samplers or surfaces than the target has
	SharedPlaced                       // a kernel whose shared memory is placed already reaches another variable
	ReservedShared                     // a kernel uses what an option doesn't let be reserved
	Uncalled                           // an address taken, and no call
	StackUnknown                       // recursion hides a kernel's stack size
	StackLimit                         // a kernel's stack is larger than its limit
	Tcgen05Groups                      // a kernel has tcgen05 of single CTAs and of pairs
	Unsupported                        // an option or input that is not implemented
	MergeFailed                        // the sum of merge errors
	PrototypeMismatch                  // two signatures of a name
	Displaced                          // code that reads other data than its own, as nvlink has it
	NullPointer                        // a pointer that is zero, as nvlink has it
	Uncounted                          // a function that data points to, and that kernels don't count, as nvlink has it
	NewerInput                         // an input newer than the release, linked as its nvJitLink does
	LostConstant                       // a constant or shared variable that another object defines, to which nothing leads after -r, as nvlink has it
	LostDebug                          // debug information of a definition that lost, which may differ from nvlink's
	Rescheduled                        // a kernel whose code may differ from nvlink's
	Internal                           // what nvlink calls an internal error
	Budget                             // the input asks for too much
	Lost                               // what nvlink drops silently
)

// IsOwn reports whether warnings of a kind are about what nvlink makes, or makes in its own way,
// silently: -Werror doesn't fail a link for them, as it doesn't with nvlink.
func (k Kind) IsOwn() bool {
	switch k {
	case Displaced, NullPointer, LostConstant, Uncounted, NewerInput, Rescheduled:
		return true
	}
	return false
}

// Diagnostic is one message. Text is nvlink's wording; the other fields name
// the place for programs and are empty where they don't apply.
type Diagnostic struct {
	Severity Severity
	Kind     Kind
	Text     string
	File     string
	Section  string
	Symbol   string
	Offset   uint64
	Value    uint64
}

// String returns the line nvlink prints.
func (d *Diagnostic) String() string { return d.Severity.prefix() + d.Text }

// LinkError is a link that was refused: what was said, and the exit status
// nvlink has for it.
type LinkError struct {
	Diags []Diagnostic
	Exit  int
	Err   error // the fault after a Malformed message

	// Image is what the link made in spite of errors that aren't fatal, for -v
	// to look at; nil where it ended before.
	Image []byte
	Left  int // of Image: sections that were made and aren't in it
}

// Error returns the messages, a line each.
func (e *LinkError) Error() string {
	lines := make([]string, len(e.Diags))
	for i := range e.Diags {
		lines[i] = e.Diags[i].String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the fault after the refusal, if any.
func (e *LinkError) Unwrap() error { return e.Err }

// Refuse makes an error of one fatal message.
func Refuse(kind Kind, file, format string, args ...any) *LinkError {
	return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: kind, File: file, Text: fmt.Sprintf(format, args...)}}}
}

// Say adds a message.
func (l *Log) Say(d Diagnostic) {
	if d.Severity == Error {
		l.Failed = true
	}
	l.Diags = append(l.Diags, d)
}

func (l *Log) Print(text string) {
	l.Say(Diagnostic{Severity: Plain, Text: text})
}
