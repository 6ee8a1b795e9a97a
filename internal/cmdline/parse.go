package cmdline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/engine"
)

// ReadFile returns the content of an options file.
type ReadFile func(name string) ([]byte, error)

// maxDepth is how deep options files may name options files; maxFiles, which
// nvlink doesn't have, keeps a few files that name each other many times from
// taking for ever.
const (
	maxDepth = 15
	maxFiles = 10000
)

// errTooMany ends a Scan.
var errTooMany = errors.New("too many options files")

// setting is what args said of one option.
type setting struct {
	given  bool
	text   string
	list   []string
	number int32
	truth  bool
}

// parser reads args; see doc.go for the two ways it is used.
type parser struct {
	release  Release // the one to read as; all of them in Scan
	lenient  bool    // Scan: go on past anything wrong
	read     ReadFile
	depth    int
	opened   int
	set      [numOptions]setting
	inputs   []string
	messages []Message
}

// Preview is what args say whatever the release.
type Preview struct {
	Inputs []string
	Arch   string // value of -arch, unchecked

	Libraries, LibraryPaths []string // -l and -L

	Toolkit string // value of -toolkit, "" where it isn't given
}

// Scan reads args without knowing the release. Anything wrong with them is
// left to Parse.
func Scan(args []string, read ReadFile) Preview {
	p := &parser{release: all, lenient: true, read: read}
	_ = p.args(args)
	return Preview{Inputs: p.inputs, Toolkit: p.set[Toolkit].text, Arch: p.set[Arch].text,
		Libraries: p.set[Library].list, LibraryPaths: p.set[LibraryPath].list}
}

// args reads arguments in order. Its error is a *Refusal but in lenient mode.
func (p *parser) args(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if len(arg) < 2 || arg[0] != '-' {
			p.inputs = append(p.inputs, arg)
			continue
		}
		rest, err := p.option(arg, args)
		if err != nil {
			return err
		}
		args = rest
	}
	return nil
}

// option reads one option, arg, and returns the arguments after it and its
// value.
func (p *parser) option(arg string, rest []string) ([]string, error) {
	name, value, hasValue := strings.Cut(arg[1:], "=")
	typed := "-" + name
	var id ID
	var known bool
	if strings.HasPrefix(name, "-") {
		id, known = lookup(name[1:], true, p.release)
	} else {
		id, known = lookup(name, false, p.release)
		if !known {
			short, ok := lookup(arg[1:2], false, p.release)
			if ok && short.attaches() {
				id, known, value, hasValue = short, true, arg[2:], true
			}
		}
	}
	if !known {
		return rest, p.fault("Unknown option '%s'", name)
	}
	kind := Table[id].argument(id, p.release)
	switch {
	case kind == Flag && hasValue:
		return rest, p.fault("no argument expected after '%s'", typed)
	case kind.takesValue() && !hasValue:
		if len(rest) == 0 {
			return rest, p.fault("argument expected after '%s'", typed)
		}
		value, rest = rest[0], rest[1:]
	case kind == Optional && !hasValue:
		if len(rest) > 0 && (len(rest[0]) < 2 || rest[0][0] != '-') {
			value, rest = rest[0], rest[1:]
		} else {
			value = Table[id].Default
		}
	}
	return rest, p.assign(id, kind, value)
}

// assign checks a value and keeps it. Only scalars warn of another value.
func (p *parser) assign(id ID, kind Argument, value string) error {
	s := &p.set[id]
	next := setting{given: true, text: value}
	switch kind {
	case Flag:
		s.given = true
		return nil
	case List, Files:
		items, err := splitList(value)
		if err != nil {
			return p.fault("%s", err)
		}
		s.given = true
		s.list = append(s.list, items...)
		if kind == Files {
			return p.files(items)
		}
		return nil
	case Number:
		n, isNumber, inRange := number(value)
		if !isNumber {
			return p.fault("'%s': expected a number", value)
		}
		if !inRange {
			return p.fault("32-bit integer value (%s) out of range", value)
		}
		if !allowedNumber(id, p.release, n) {
			return p.undefined(id, value)
		}
		next.number, next.text = n, strconv.Itoa(int(n))
	case Truth:
		if value != "true" && value != "false" {
			return p.fault("'%s': expected true or false", value)
		}
		next.truth = value == "true"
	default:
		if !p.lenient && !allowed(id, p.release, value) {
			return p.undefined(id, value)
		}
	}
	if s.given && s.text != next.text {
		p.warn("incompatible redefinition for option '%s', the last value of this option was used", Table[id].Name)
	}
	*s = next
	return nil
}

// files reads options files where they are.
func (p *parser) files(names []string) error {
	for _, name := range names {
		content, err := p.read(name)
		if err != nil {
			if err := p.fault("Could not open options file '%s'", name); err != nil {
				return err
			}
			continue
		}
		if p.opened++; p.depth == maxDepth || p.opened > maxFiles {
			if err := p.fault("Too many options file opened '%s'", name); err != nil {
				return err
			}
			return errTooMany
		}
		args, err := splitFile(content)
		if err != nil {
			return p.fault("%s", err)
		}
		p.depth++
		err = p.args(args)
		p.depth--
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) undefined(id ID, value string) error {
	return p.fault("Value '%s' is not defined for option '%s'", value, Table[id].Name)
}

// fault ends the reading with a message; in lenient mode it does nothing.
func (p *parser) fault(format string, args ...any) error {
	if p.lenient {
		return nil
	}
	p.say(engine.Fatal, format, args...)
	return &Refusal{Messages: p.messages, Exit: 1}
}

func (p *parser) warn(format string, args ...any) {
	if !p.lenient {
		p.say(engine.Warning, format, args...)
	}
}

// say adds a message of the reader, which knows neither --tool-name nor
// --report-arch yet.
func (p *parser) say(s engine.Severity, format string, args ...any) {
	p.messages = append(p.messages, Message{
		Diagnostic: engine.Diagnostic{Severity: s, Kind: engine.BadOption, Text: fmt.Sprintf(format, args...)},
		Syntax:     true,
	})
}
