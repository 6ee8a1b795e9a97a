package cufilt

// typ reads a type. All but the built-in ones and substitutions are kept.
func (p *parser) typ() typ {
	defer p.leave()
	if !p.enter() {
		return typ{}
	}
	if text, ok := p.builtin(); ok {
		return typ{left: text}
	}
	if t, ok := p.substituted(); ok {
		return t
	}
	if t, ok := p.function(); ok {
		return t
	}
	for _, form := range []func() (typ, bool){p.pointing, p.decorated, p.dependent} {
		if t, ok := form(); ok {
			return p.keep(t)
		}
	}
	t, known := p.class()
	if known {
		return t
	}
	return p.keep(t)
}

func (p *parser) builtin() (string, bool) {
	if text, ok := builtins[p.peek()]; ok {
		p.at++
		return text, true
	}
	for _, b := range moreBuiltins {
		if p.take(b.code) {
			return b.text, true
		}
	}
	for _, b := range floatBuiltins {
		switch {
		case p.major < 12 || !p.take(b.code):
		case p.major == 12:
			return b.of12, true
		default:
			return b.text, true
		}
	}
	return "", false
}

// substituted reads a parameter of the template or a substitution, with arguments where they follow.
func (p *parser) substituted() (typ, bool) {
	next := byte(0)
	if p.at+1 < len(p.in) {
		next = p.in[p.at+1]
	}
	switch c := p.peek(); {
	case c == 'T' && (next == '_' || next >= '0' && next <= '9'):
		t := p.keep(typ{left: p.parameter()})
		if p.peek() == 'I' && !p.conversion {
			return p.keep(typ{left: t.left + p.arguments()}), true
		}
		return t, true
	case c == 'S' && next != 0 && next != 't':
		t := p.substitution()
		if p.peek() == 'I' {
			if t.grouped {
				t.left += t.pad()
			}
			t.left, t.tight = t.left+p.arguments(), true
			return p.keep(t), true
		}
		return t, true
	}
	return typ{}, false
}

// pointing reads pointers, references, and pointers to members.
func (p *parser) pointing() (typ, bool) {
	switch {
	case p.take("P"):
		return p.typ().declare("*"), true
	case p.take("R"):
		return p.typ().declare("&"), true
	case p.take("O"):
		return p.typ().declare("&&"), true
	case p.take("M"):
		class := p.typ()
		return p.typ().declare(" :: " + class.text() + "::*"), true
	}
	return typ{}, false
}

// decorated reads types made of another one.
func (p *parser) decorated() (typ, bool) {
	switch c := p.peek(); {
	case c == 'K' || c == 'V' || c == 'r':
		q := p.qualifiers()
		return p.typ().qualify(q), true
	case p.take("C"):
		return typ{left: "_Complex " + p.typ().text() + " ", pointer: true}, true
	case p.take("A"):
		return p.array(), true
	case p.take("Dp"):
		t := p.typ()
		if t.grouped {
			t.left += t.pad()
		}
		t.left, t.tight, t.pointer = t.left+"...", t.grouped, false
		return t, true
	case p.take("Dv"):
		n := p.in[p.at:]
		p.number()
		n = n[:len(n)-len(p.in[p.at:])]
		p.want("_")
		t := p.typ().text()
		return typ{left: t + " __attribute((vector_size(" + n + "*sizeof(" + t + ")))) "}, true
	case p.take("U"):
		q := p.source()
		t := p.typ().declare(q)
		t.tight = true
		return t, true
	}
	return typ{}, false
}

// dependent reads the type of an expression, and names of types that a vendor added.
func (p *parser) dependent() (typ, bool) {
	switch {
	case p.take("DT"), p.take("Dt"):
		return typ{left: p.declaredType()}, true
	case p.take("u"):
		return typ{left: p.withArguments(p.source())}, true
	}
	return typ{}, false
}

// declaredType reads the expression after DT, or after Dt, which is of a name.
func (p *parser) declaredType() string {
	ofName := p.in[p.at-1] == 't'
	text := p.expression()
	p.want("E")
	if ofName {
		return "decltype(" + text + ")"
	}
	return "decltype((" + text + "))"
}

// class is the name of a class or enumeration, which no operator is; known where it is a
// substitution by itself.
func (p *parser) class() (t typ, known bool) {
	if c := p.peek(); c >= 'a' && c <= 'z' {
		p.fail()
	}
	n := p.name()
	return typ{left: n.text}, n.substitution
}
