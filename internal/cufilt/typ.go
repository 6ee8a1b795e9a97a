package cufilt

import "strings"

// typ is a type as text around the place of a declarator: "void (*" and
// ")(int)". A name is a typ without a right part.
type typ struct {
	left, right string
	// grouped: a function or an array, so that a pointer to it needs parentheses.
	grouped bool
	// tight: a declarator stands without a blank, as behind the class that a
	// member's own name brings.
	tight   bool
	pointer bool // qualifiers stand behind it
	std     string
}

func (t *typ) pad() string {
	if t.tight || t.left == "" || strings.HasSuffix(t.left, "*") || strings.HasSuffix(t.left, "&") || strings.HasSuffix(t.left, "const ") || t.pointer && strings.HasSuffix(t.left, " ") {
		return ""
	}
	return " "
}

// text is the type without a name.
func (t typ) text() string {
	if t.grouped {
		return t.left + t.pad() + t.right
	}
	return t.left + t.right
}

// declare adds a declarator: "*", "&", " :: A::*".
func (t typ) declare(d string) typ {
	if t.grouped {
		return typ{left: t.left + t.pad() + "(" + d, right: ")" + t.right, pointer: true}
	}
	return typ{left: t.left + t.pad() + d, right: t.right, pointer: true}
}

// qualify adds const, volatile and restrict: before a name, behind a pointer.
func (t typ) qualify(q string) typ {
	if q == "" {
		return t
	}
	switch {
	case t.grouped && !strings.Contains(t.left, "("): // of an array the tools show none
	case t.pointer:
		t.left += q
		if q != "const" || t.right == "" {
			t.left += " "
		}
	default:
		t.left = q + " " + t.left
	}
	return t
}

var builtins = map[byte]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short",
	't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long",
	'y': "unsigned long long", 'n': "__int128", 'o': "unsigned __int128", 'f': "float", 'd': "double",
	'e': "long double", 'g': "__float128", 'z': "...",
}

var moreBuiltins = []struct{ code, text string }{
	{"Dn", "std::nullptr_t"}, {"Di", "char32_t"}, {"Ds", "char16_t"}, {"Du", "char8_t"}, {"Dh", "__fp16"},
	{"Da", "auto"}, {"Dc", "decltype(auto)"}, {"DF16_", "std::float16_t"},
}

// keep makes a type known to later substitutions.
func (p *parser) keep(t typ) typ {
	if !p.failed {
		p.write(t.left + t.right)
		p.subs = append(p.subs, t)
	}
	return t
}

func (p *parser) typ() typ {
	defer p.leave()
	if !p.enter() {
		return typ{}
	}
	c := p.peek()
	if text, ok := builtins[c]; ok {
		p.at++
		return typ{left: text}
	}
	for _, b := range moreBuiltins {
		if p.take(b.code) {
			return typ{left: b.text}
		}
	}
	switch {
	case c == 'P' || c == 'R' || c == 'O':
		p.at++
		return p.keep(p.typ().declare(map[byte]string{'P': "*", 'R': "&", 'O': "&&"}[c]))
	case c == 'K' || c == 'V' || c == 'r':
		q := p.qualifiers()
		if p.peek() == 'F' {
			return p.keep(p.function(" " + q))
		}
		return p.keep(p.typ().qualify(q))
	case c == 'F':
		return p.keep(p.function(""))
	case c == 'C':
		p.at++
		return p.keep(typ{left: "_Complex " + p.typ().text() + " ", pointer: true})
	case p.take("DoF"):
		p.at--
		return p.keep(p.function(" noexcept"))
	case c == 'A':
		p.at++
		return p.keep(p.array())
	case c == 'M':
		p.at++
		class := p.typ()
		return p.keep(p.typ().declare(" :: " + class.text() + "::*"))
	case p.take("Dp"):
		t := p.typ()
		t.left += "..."
		return p.keep(t)
	case p.take("DT"), p.take("Dt"):
		return p.keep(typ{left: p.declaredType()})
	case p.take("Dv"):
		n := p.in[p.at:]
		p.number()
		n = n[:len(n)-len(p.in[p.at:])]
		p.want("_")
		t := p.typ().text()
		return p.keep(typ{left: t + " __attribute((vector_size(" + n + "*sizeof(" + t + ")))) "})
	case c == 'u':
		p.at++
		return p.keep(typ{left: p.source()})
	case c == 'U':
		p.at++
		q := p.source()
		t := p.typ()
		t.left, t.tight = t.left+t.pad()+q, true
		return p.keep(t)
	case c == 'T' && p.at+1 < len(p.in) && (p.in[p.at+1] == '_' || p.in[p.at+1] >= '0' && p.in[p.at+1] <= '9'):
		t := p.keep(typ{left: p.parameter()})
		if p.peek() == 'I' && !p.conversion {
			return p.keep(typ{left: t.left + p.arguments()})
		}
		return t
	case c == 'S' && p.at+1 < len(p.in) && p.in[p.at+1] != 't':
		t := p.substitution()
		if p.peek() == 'I' {
			t.left, t.tight = t.left+p.arguments(), true
			return p.keep(t)
		}
		return t
	}
	t, known := p.class()
	if known {
		return t
	}
	return p.keep(t)
}

// declaredType reads the expression behind DT, or behind Dt, which is of a name.
func (p *parser) declaredType() string {
	ofName := p.in[p.at-1] == 't'
	text := p.expression()
	p.want("E")
	if ofName {
		return "decltype(" + text + ")"
	}
	return "decltype((" + text + "))"
}

// class is the name of a class or enumeration; known where it is a
// substitution by itself.
func (p *parser) class() (t typ, known bool) {
	n := p.name()
	return typ{left: n.text}, n.substitution
}

func (p *parser) qualifiers() string {
	var restrict, volatile, constant bool
	for {
		switch p.peek() {
		case 'r':
			restrict = true
		case 'V':
			volatile = true
		case 'K':
			constant = true
		default:
			var list []string
			if constant {
				list = append(list, "const")
			}
			if volatile {
				list = append(list, "volatile")
			}
			if restrict {
				list = append(list, "restrict")
			}
			return strings.Join(list, " ")
		}
		p.at++
	}
}

// function reads F … E: the result, and what it takes.
func (p *parser) function(suffix string) typ {
	p.want("F")
	p.take("Y")
	t := p.typ()
	text := p.parameters()
	switch {
	case p.take("RE"):
		suffix += " &"
	case p.take("OE"):
		suffix += " &&"
	default:
		p.want("E")
	}
	if t.grouped {
		return typ{left: t.left + t.pad() + "(", right: text + ")" + t.right + suffix, grouped: true, tight: true}
	}
	return typ{left: t.left, right: text + t.right + suffix, grouped: true, tight: t.tight}
}

// parameters reads types up to the end of a list: "(int, char)".
func (p *parser) parameters() string {
	if p.peek() == 'v' {
		p.at++
		return "()"
	}
	var list []string
	for !p.failed && p.at < len(p.in) && strings.IndexByte("E.$_", p.peek()) < 0 {
		if strings.HasPrefix(p.in[p.at:], "RE") || strings.HasPrefix(p.in[p.at:], "OE") {
			break
		}
		list = append(list, p.typ().text())
	}
	if len(list) == 0 {
		p.fail()
	}
	return p.write("(" + strings.Join(list, ", ") + ")")
}

func (p *parser) array() typ {
	size := ""
	switch c := p.peek(); {
	case c >= '0' && c <= '9':
		start := p.at
		p.number()
		size = p.in[start:p.at]
	case c != '_':
		size = p.expression()
	}
	p.want("_")
	t := p.typ()
	if t.grouped {
		return typ{left: t.left, right: "[" + size + "]" + t.right, grouped: true, tight: t.tight}
	}
	return typ{left: t.left, right: "[" + size + "]" + t.right, grouped: true, tight: t.tight || t.right != ""}
}

// parameter reads T_, T0_ …: T1, T2.
func (p *parser) parameter() string {
	p.want("T")
	return "T" + itoa(p.sequence(10)+1)
}

// arguments reads I … E. An argument pack is part of its list.
func (p *parser) arguments() string {
	p.want("I")
	var list []string
	for !p.failed && !p.take("E") {
		list = append(list, p.argument())
	}
	return p.write("<" + strings.Join(list, ", ") + ">")
}

func (p *parser) argument() string {
	defer p.leave()
	if !p.enter() {
		return ""
	}
	switch {
	case p.peek() == 'L':
		return p.literal()
	case p.take("X"):
		text := p.expression()
		p.want("E")
		return text
	case p.take("J"):
		var list []string
		for !p.failed && !p.take("E") {
			list = append(list, p.argument())
		}
		return strings.Join(list, ", ")
	}
	return p.typ().text()
}
