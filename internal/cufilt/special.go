package cufilt

var specials = []struct{ code, text string }{
	{"TV", "Virtual function table for "}, {"TT", "Virtual table table for "}, {"TI", "Typeinfo for "}, {"TS", "Typeinfo name for "},
}

// ofNames are what the compiler makes for a variable.
var ofNames = []struct{ code, text string }{
	{"GV", "Initialization guard variable for "}, {"TW", "Thread-local wrapper routine for "}, {"TH", "Thread-local initialization routine for "},
}

// special reads names of what the compiler makes itself.
func (p *parser) special() (string, bool) {
	for _, s := range specials {
		if p.take(s.code) {
			p.object = true
			return s.text + p.typ().text(), true
		}
	}
	for _, s := range ofNames {
		if p.take(s.code) {
			p.object = true
			return s.text + p.name().text, true
		}
	}
	switch {
	case p.take("TA"):
		p.object = true
		return "template parameter object for " + p.argument(), true
	case p.take("Tc"):
		at := p.offset()
		at += " " + p.offset()
		return "Covariant thunk for " + at + " " + p.encoding(true), true
	case p.isNext("Th"), p.isNext("Tv"):
		p.at++
		return "Thunk for " + p.offset() + " " + p.encoding(true), true
	}
	return "", false
}

// offset reads how a thunk finds its object: h and a number, or v and two.
func (p *parser) offset() string {
	if p.take("v") {
		at := p.signed()
		return "(offset " + at + ", virtual offset " + p.signed() + ")"
	}
	p.want("h")
	return "(offset " + p.signed() + ")"
}

// signed reads a number, n before a negative one, and "_".
func (p *parser) signed() string {
	sign := ""
	if p.take("n") {
		sign = "-"
	}
	text := sign + itoa(p.number())
	p.want("_")
	return text
}
