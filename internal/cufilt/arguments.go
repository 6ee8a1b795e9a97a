package cufilt

// parameter reads T_, T0_ …: T1, T2.
func (p *parser) parameter() string {
	p.want("T")
	return "T" + itoa(p.sequence(10)+1)
}

// arguments reads I … E. An argument pack is part of its list.
func (p *parser) arguments() string {
	p.want("I")
	return p.write("<" + p.upTo("E", p.argument) + ">")
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
		return p.upTo("E", p.argument)
	}
	return p.typ().text()
}
