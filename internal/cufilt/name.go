package cufilt

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// name is a name as far as it matters to what stands around it.
type name struct {
	text         string
	last         string // of a class: its own name, for constructors
	template     bool   // it ends in arguments: a function's result is part of it
	noResult     bool   // a constructor, a destructor, a conversion: it isn't
	qualifiers   string // of a member function, after its parameters: " const"
	suffix       string // after all: " [deleting]"
	substitution bool   // it is a substitution and nothing more
}

// encoding reads a function or a variable. Without shown, only the name is
// wanted.
func (p *parser) encoding(shown bool) string {
	defer p.leave()
	if !p.enter() {
		return ""
	}
	if text, ok := p.special(); ok {
		return text
	}
	n := p.name()
	if p.failed || p.at == len(p.in) || strings.IndexByte("E.$_", p.peek()) >= 0 {
		p.object = true
		return p.write(n.text + n.suffix)
	}
	p.object = false
	n.suffix = n.qualifiers + n.suffix
	result := ""
	if n.template && !n.noResult {
		result = p.typ().text() + " "
	}
	parameters := p.parameters()
	if !shown {
		return n.text + n.suffix
	}
	return p.write(result + n.text + parameters + n.suffix)
}

func (p *parser) name() name {
	switch p.peek() {
	case 'N':
		return p.nested()
	case 'Z':
		return p.local()
	}
	var n name
	switch {
	case p.take("St"):
		n = p.unqualified("")
		n.text = "std::" + n.text
	case p.peek() == 'S':
		t := p.substitution()
		n = name{text: t.left, substitution: true}
		if p.peek() != 'I' {
			return n
		}
		return name{text: n.text + p.arguments(), template: true}
	default:
		n = p.unqualified("")
	}
	if p.peek() == 'I' {
		p.keep(typ{left: n.text, tight: true})
		n.text += p.arguments()
		n.template = true
	}
	return n
}

// nested reads N … E. Every prefix is a substitution for what follows.
func (p *parser) nested() name {
	p.want("N")
	n := name{}
	if q := p.qualifiers(); q != "" {
		n.qualifiers = " " + q
	}
	switch {
	case p.take("R"):
		n.qualifiers += " &"
	case p.take("O"):
		n.qualifiers += " &&"
	}
	first := !p.begin(&n)
	for ; !p.failed && !p.take("E"); first = false {
		if !first && p.peek() == 'I' && !n.template {
			n.text += p.arguments()
			n.template = true
			p.prefix(n.text)
			continue
		}
		n.template = false
		if !first && p.take("M") { // a member variable, which what follows is in
			continue
		}
		part := p.unqualified(n.last)
		if part.text != "" && n.text != "" {
			n.text += "::"
		}
		n.text += part.text
		n.last, n.noResult = part.last, part.noResult
		n.suffix += part.suffix
		p.prefix(n.text)
	}
	// The whole name is no prefix: a class is kept by who reads it as a type.
	if len(p.subs) > 0 && !p.failed {
		p.subs = p.subs[:len(p.subs)-1]
	}
	return n
}

// begin reads what a nested name may begin with instead of a name of its own.
func (p *parser) begin(n *name) bool {
	switch c := p.peek(); {
	case p.take("St"):
		n.text, n.last = "std", "std"
	case c == 'S':
		t := p.substitution()
		n.text, n.last = t.left, lastOf(t)
	case c == 'T':
		n.text = p.parameter()
		p.keep(typ{left: n.text})
	case p.take("DT"), p.take("Dt"):
		n.text = p.declaredType()
		p.keep(typ{left: n.text})
	default:
		return false
	}
	return true
}

// prefix keeps a part of a nested name; a declarator stands tight after it.
func (p *parser) prefix(text string) { p.keep(typ{left: text, tight: true}) }

// lastOf is the own name of a class, without arguments.
func lastOf(t typ) string {
	if t.std != "" {
		return t.std
	}
	text := withoutArguments(t.left)
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case '>':
			depth++
		case '<':
			depth--
		case ':':
			if depth == 0 {
				return text[i+1:]
			}
		}
	}
	return text
}

// withoutArguments cuts off the last arguments of a name.
func withoutArguments(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case '>':
			depth++
		case '<':
			depth--
		}
		if depth == 0 && text[i] == '<' {
			return text[:i]
		}
		if depth == 0 {
			break
		}
	}
	return text
}

// local reads Z function E name.
func (p *parser) local() name {
	p.want("Z")
	text := p.encoding(true)
	p.want("E")
	if p.take("s") {
		return name{text: text + "::string" + p.instance(), template: true}
	}
	if p.take("d") {
		text += "::[default argument " + itoa(p.sequence(10)+1) + " (from end)]"
	}
	n := p.name()
	n.text = text + "::" + n.text + p.instance()
	n.substitution = false
	return n
}

// instance reads which of several local names is meant.
func (p *parser) instance() string {
	n := 0
	switch {
	case p.take("__"):
		n = p.number()
		p.want("_")
	case p.at+1 < len(p.in) && p.peek() == '_' && p.in[p.at+1] >= '0' && p.in[p.at+1] <= '9':
		p.at++
		n = int(p.peek() - '0')
		p.at++
	default:
		return ""
	}
	return " (instance " + itoa(n+2) + ")"
}

// source reads a length and as many letters. Namespaces that stand for a
// translation unit have no name, or none at all.
func (p *parser) source() string {
	n := p.number()
	if p.failed || n == 0 || n > len(p.in)-p.at {
		p.fail()
		return ""
	}
	text := p.in[p.at : p.at+n]
	p.at += n
	switch {
	case strings.HasPrefix(text, "_GLOBAL__N_"):
		return "<unnamed>"
	case strings.HasPrefix(text, "_INTERNAL_"):
		return ""
	}
	return text
}

// unqualified reads a name without a prefix; class is the one that a
// constructor has.
func (p *parser) unqualified(class string) name {
	n := name{}
	c := p.peek()
	switch {
	case c >= '0' && c <= '9':
		n.text = p.source()
		n.last = n.text
	case p.take("DC"):
		n.text = p.binding()
	case c == 'C' || c == 'D':
		n = p.lifetime(class)
	case p.take("Ul"):
		n.text = "[lambda" + p.parameters()
		p.want("E")
		n.text += " (instance " + itoa(p.sequence(10)+1) + ")]"
		n.last = n.text
	case p.take("Ut"):
		n.text = "[unnamed type (instance " + itoa(p.sequence(10)+1) + ")]"
		n.last = n.text
	case p.take("cv"):
		before := p.conversion
		p.conversion = true
		n.text, n.noResult = "operator "+p.typ().text(), true
		p.conversion = before
	case p.take("li"):
		n.text = `operator ""` + p.source()
	default:
		n.text = "operator " + p.operator().text
		if n.text == "operator new" || n.text == "operator new[]" || n.text == "operator delete" || n.text == "operator delete[]" {
			n.text += " "
		}
	}
	for p.take("B") {
		n.text += "[abi:" + p.source() + "]"
	}
	return n
}

// lifetimes are constructors and destructors.
var lifetimes = []struct{ code, before, suffix string }{
	{"C1", "", ""}, {"C2", "", " [subobject]"}, {"C3", "", " [allocating]"},
	{"D0", "~", " [deleting]"}, {"D1", "~", ""}, {"D2", "~", " [subobject]"},
}

// inherited are constructors that a class has of another one, which follows.
var inherited = []struct{ code, suffix string }{{"CI1", " [complete inheriting]"}, {"CI2", " [base inheriting]"}}

// lifetime reads a constructor or destructor of a class, which has to have a name.
func (p *parser) lifetime(class string) name {
	if class == "" {
		p.fail()
	}
	for _, l := range lifetimes {
		if p.take(l.code) {
			return name{text: l.before + class, noResult: true, suffix: l.suffix}
		}
	}
	for _, i := range inherited {
		if p.take(i.code) {
			return name{text: withoutArguments(p.typ().text()), noResult: true, suffix: i.suffix}
		}
	}
	p.fail()
	return name{}
}

// binding reads the names of a structured binding, up to E.
func (p *parser) binding() string {
	p.object = true
	text := "[structured binding for "
	for first := true; !p.failed && (first || !p.take("E")); first = false {
		if !first {
			text += ","
		}
		text += p.source()
	}
	return text + "]"
}

// standard are the abbreviations of names of std.
var standard = map[byte]typ{
	'a': {left: "std::allocator", std: "allocator"},
	'b': {left: "std::basic_string", std: "basic_string"},
	's': {left: "std::basic_string<char, std::char_traits<char>, std::allocator<char>>", std: "basic_string"},
	'i': {left: "std::basic_istream<char, std::char_traits<char>>", std: "basic_istream"},
	'o': {left: "std::basic_ostream<char, std::char_traits<char>>", std: "basic_ostream"},
	'd': {left: "std::basic_iostream<char, std::char_traits<char>>", std: "basic_iostream"},
}

func (p *parser) substitution() typ {
	p.want("S")
	if t, ok := standard[p.peek()]; ok {
		p.at++
		t.tight = true
		return t
	}
	i := p.sequence(36)
	if p.failed || i >= len(p.subs) {
		return p.fail()
	}
	p.write(p.subs[i].left + p.subs[i].right)
	return p.subs[i]
}
