package cufilt

import "strings"

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
