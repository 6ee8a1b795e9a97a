package cufilt

import (
	"strconv"
	"strings"
)

// Limits of one name; a longer or deeper one is shown as it is.
const (
	maxName  = 64 << 10
	maxText  = 1 << 20 // bytes written, all parts together
	maxDepth = 256
)

// Demangle returns a C++ name as NVIDIA's tools of a major release show it, and any other name as
// it is. Those of 11 leave the names of clones alone: "_Z1fi$g".
func Demangle(name string, major int) string {
	if inner := inStatic(name); inner != "" {
		if shown := demangle(inner, major); shown != inner {
			return shown
		}
	}
	return demangle(name, major)
}

func demangle(name string, major int) string {
	mangled := name
	local := strings.HasPrefix(name, "$")
	if local {
		mangled = name[1:]
	}
	if !strings.HasPrefix(mangled, "_Z") || len(name) > maxName {
		return name
	}
	p := &parser{in: mangled[2:], left: maxText, major: major}
	text := p.encoding(true)
	rest := p.in[p.at:]
	if p.failed || p.object && rest != "" && rest[0] == '$' {
		return name
	}
	clones := major > 11
	if !clones && (local || rest != "" && rest[0] == '$' && !isNumber(rest[1:])) {
		inner, found := strings.CutPrefix(rest, "$")
		if shown := demangle(inner, major); found && shown != inner {
			return text + "::" + shown
		}
		return name
	}
	switch {
	case rest == "":
		return text
	case rest[0] == '.':
		return text + rest
	case rest[0] == '$' && isNumber(rest[1:]): // a copy that ptxas made
		return text
	case rest[0] == '$' && clones && !isNumber(rest[1:2]):
		return "[clone " + text + "] " + demangle(rest[1:], major)
	}
	return name
}

// inStatic returns the C++ name inside one of a static function that code of other modules
// may name, "__nv_static_5__abcd__Z1fi": its module's name, of 5 letters, is in front. It is "" for other names.
func inStatic(name string) string {
	rest, ok := strings.CutPrefix(name, "__nv_static_")
	digits, rest, found := strings.Cut(rest, "_")
	n, err := strconv.Atoi(digits)
	if !ok || !found || err != nil || n < 0 || n >= len(rest) || rest[n] != '_' {
		return ""
	}
	return rest[n+1:]
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// parser reads one name. After a fault all that it returns is void.
type parser struct {
	in     string
	at     int
	depth  int
	left   int // bytes that may still be written
	failed bool
	major  int   // release of the tools
	object bool  // it is no function: nothing is a clone of it
	subs   []typ // what S_, S0_ … stand for

	conversion bool // arguments belong to the conversion, not to its type
}

func (p *parser) fail() typ {
	p.failed, p.at = true, len(p.in)
	return typ{}
}

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail()
	}
	return !p.failed
}

func (p *parser) leave() { p.depth-- }

// write charges a text against the limit.
func (p *parser) write(s string) string {
	if p.left -= len(s); p.left < 0 {
		p.fail()
		return ""
	}
	return s
}

func (p *parser) peek() byte {
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *parser) isNext(s string) bool { return strings.HasPrefix(p.in[p.at:], s) }

func (p *parser) take(s string) bool {
	if p.isNext(s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *parser) want(s string) {
	if !p.take(s) {
		p.fail()
	}
}

// number reads decimal digits, at least one.
func (p *parser) number() int {
	n, start := 0, p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		if n = n*10 + int(c-'0'); n > maxName {
			p.fail()
			return 0
		}
		p.at++
	}
	if p.at == start {
		p.fail()
	}
	return n
}

// sequence reads what is between a letter and "_": nothing is 0, 0 is 1, in
// base 36 for substitutions.
func (p *parser) sequence(base int) int {
	if p.take("_") {
		return 0
	}
	n, start := 0, p.at
	for {
		c, digit := p.peek(), 0
		switch {
		case c >= '0' && c <= '9':
			digit = int(c - '0')
		case base == 36 && c >= 'A' && c <= 'Z':
			digit = int(c-'A') + 10
		default:
			if p.at == start || c != '_' {
				p.fail()
			}
			p.at = min(p.at+1, len(p.in))
			return n + 1
		}
		if n = n*base + digit; n > maxName {
			p.fail()
			return 0
		}
		p.at++
	}
}
