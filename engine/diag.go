package engine

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

// DiagKind says what a message is about, for programs.
type DiagKind uint8

const (
	Malformed          DiagKind = iota + 1 // an input is not a well-formed cubin
	WrongArch                              // an input is for another architecture
	WrongToolkit                           // an input is newer, or too old
	BadOption                              // an option has no valid value
	NoInput                                // nothing to link
	MultipleDefinition                     // two strong definitions of a name
	SizeMismatch                           // two sizes of a name
	SpaceMismatch                          // two memory spaces of a name
	EntryMismatch                          // a kernel here, a function there
	Undefined                              // a reference nothing defines
	RegisterLimit                          // a kernel with a register limit calls code that needs more
	ReservedShared                         // a kernel uses what an option doesn't let be reserved
	Uncalled                               // an address taken, and no call
	StackUnknown                           // recursion hides a kernel's stack size
	Unsupported                            // an option or input that is not implemented
	MergeFailed                            // the sum of merge errors
	PrototypeMismatch                      // two signatures of a name
	Rescheduled                            // a kernel whose code may differ from nvlink's
	Internal                               // what nvlink calls an internal error
	Budget                                 // the input asks for too much
)

// Diagnostic is one message. Text is nvlink's wording; the other fields name
// the place for programs and are empty where they don't apply.
type Diagnostic struct {
	Severity Severity
	Kind     DiagKind
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
	Err   error // the fault behind a Malformed message

	// Image is what the link made in spite of errors that aren't fatal, for -v
	// to look at; nil where it ended before.
	Image []byte
}

// Error returns the messages, a line each.
func (e *LinkError) Error() string {
	lines := make([]string, len(e.Diags))
	for i := range e.Diags {
		lines[i] = e.Diags[i].String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the fault behind the refusal, if any.
func (e *LinkError) Unwrap() error { return e.Err }

// refuse makes an error of one fatal message.
func refuse(kind DiagKind, file, format string, args ...any) *LinkError {
	return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: kind, File: file, Text: fmt.Sprintf(format, args...)}}}
}

// say adds a message.
func (l *linker) say(d Diagnostic) {
	if d.Severity == Error {
		l.failed = true
	}
	l.diags = append(l.diags, d)
}

func (l *linker) fileName(i int32) string { return l.files[i].Name }

// firstFile names the input that brought a symbol in; images are listed apart,
// and the tool has no name for theirs.
func (l *linker) firstFile(s symID) string {
	if l.syms[s].isImage() {
		return "<input>"
	}
	return l.fileName(l.syms[s].file)
}

// clash reports that an input and an earlier one disagree about a name; the
// text takes the name, this input and the first.
func (l *linker) clash(kind DiagKind, m *module, s symID, text string) {
	name := l.symName(s)
	l.say(Diagnostic{Severity: Error, Kind: kind, File: m.file.Name, Symbol: name, Text: fmt.Sprintf(text, name, m.file.Name, l.firstFile(s))})
}

func (l *linker) multipleDefinition(m *module, s symID) {
	l.clash(MultipleDefinition, m, s, "Multiple definition of '%s' in '%s', first defined in '%s'")
}

func (l *linker) prototypeMismatch(m *module, s symID) {
	l.clash(PrototypeMismatch, m, s, "Prototype doesn't match for '%s' in '%s', first defined in '%s'")
}

func (l *linker) sizeMismatch(m *module, s symID) {
	l.clash(SizeMismatch, m, s, "Size doesn't match for '%s' in '%s', first specified in '%s'")
}

func (l *linker) spaceMismatch(m *module, s symID) {
	l.clash(SpaceMismatch, m, s, "Memory space doesn't match for '%s' in '%s', first specified in '%s'")
}

func (l *linker) managedMismatch(m *module, s symID) {
	l.clash(SpaceMismatch, m, s, "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'")
}

func (l *linker) paramMismatch(m *module, s symID) {
	name := l.symName(s)
	l.say(Diagnostic{Severity: Error, Kind: SizeMismatch, File: m.file.Name, Symbol: name,
		Text: fmt.Sprintf("Duplicate weak parameter bank for '%s' is not the same size", name)})
}

func (l *linker) entryMismatch(m *module, s symID) {
	name := l.symName(s)
	l.say(Diagnostic{Severity: Error, Kind: EntryMismatch, File: m.file.Name, Symbol: name,
		Text: fmt.Sprintf("Function '%s' not declared __global__ in all source files", name)})
}

func (l *linker) commonTooLarge(m *module, s symID, file string) {
	name := l.symName(s)
	l.say(Diagnostic{Severity: Error, Kind: SizeMismatch, File: m.file.Name, Symbol: name,
		Text: fmt.Sprintf("Common symbol '%s' in file '%s' has larger size than initialization", name, file)})
}

func (l *linker) uncalledWarning(f funID) {
	name := l.symName(l.funs[f].sym)
	l.say(Diagnostic{Severity: Warning, Kind: Uncalled, Symbol: name,
		Text: fmt.Sprintf("Function '%s' has address taken but no calls to it found", name)})
}

func (l *linker) stackWarning(k funID) {
	if l.opt.SuppressStackWarning {
		return
	}
	name := l.symName(l.funs[k].sym)
	l.say(Diagnostic{Severity: Warning, Kind: StackUnknown, Symbol: name,
		Text: fmt.Sprintf("Stack size for entry function '%s' cannot be statically determined", name)})
}
