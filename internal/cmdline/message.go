package cmdline

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/engine"
)

// Message is a line nvlink prints. Those about syntax come before
// --tool-name and --report-arch count.
type Message struct {
	engine.Diagnostic
	Syntax bool
}

// Refusal is a command line nvlink doesn't accept: everything it said, and
// its exit status.
type Refusal struct {
	Messages []Message
	Exit     int
}

// Error returns the messages' texts, a line each.
func (e *Refusal) Error() string {
	lines := make([]string, len(e.Messages))
	for i := range e.Messages {
		lines[i] = e.Messages[i].String()
	}
	return strings.Join(lines, "\n")
}

// MessageFormat is how a command line wants messages printed.
type MessageFormat struct {
	Tool   string // what --tool-name calls nvlink
	Named  bool   // --tool-name is given, if only for an empty name
	Target string // value of -arch with --report-arch, else ""
}

// Line returns the message as nvlink prints it.
func (v MessageFormat) Line(d *engine.Diagnostic) string {
	line := d.String()
	if d.Severity == engine.Plain {
		return line
	}
	if v.Named {
		line = v.Tool + strings.TrimPrefix(line, "nvlink")
	}
	if v.Target != "" && !strings.HasPrefix(d.Text, outOfMemory) { // which is identified by what knows of no target (11.8.89, 12.4.131)
		line += " (target: " + v.Target + ")"
	}
	return line
}

// Line returns a Message as nvlink prints it.
func (c *Command) Line(m *Message) string {
	if m.Syntax {
		return m.String()
	}
	return c.MessageFormat.Line(&m.Diagnostic)
}

// fail ends with a fatal message.
func (c *Command) fail(kind engine.DiagKind, format string, args ...any) error {
	c.say(engine.Fatal, kind, format, args...)
	return &Refusal{Messages: c.Messages, Exit: 1}
}

func (c *Command) say(s engine.Severity, kind engine.DiagKind, format string, args ...any) {
	c.Messages = append(c.Messages, Message{
		Diagnostic: engine.Diagnostic{Severity: s, Kind: kind, Text: fmt.Sprintf(format, args...)},
	})
}

// Warn returns a warning, or what the options make of it: an error, or
// nothing.
func (c *Command) Warn(kind engine.DiagKind, format string, args ...any) (engine.Diagnostic, bool) {
	d := engine.Diagnostic{Severity: engine.Warning, Kind: kind, Text: fmt.Sprintf(format, args...)}
	switch {
	case c.NoWarnings:
		return d, false
	case c.Options.WarningsAsErrors:
		d.Severity = engine.Error
	}
	return d, true
}

// Unsupported returns the message for what nvlink can do and twinlink can't.
func Unsupported(format string, args ...any) engine.Diagnostic {
	return engine.Diagnostic{Severity: engine.Fatal, Kind: engine.Unsupported,
		Text: fmt.Sprintf(format, args...) + " is not supported by twinlink"}
}
