package cufilt

import "strings"

// operator is one of the language's, by its two letters.
type operator struct {
	text string
	args int // 1, 2, 3; 0: it has a form of its own
}

var operators = map[string]operator{
	"nw": {"new", 0}, "na": {"new[]", 0}, "dl": {"delete", 0}, "da": {"delete[]", 0},
	"ps": {"+", 1}, "ng": {"-", 1}, "ad": {"&", 1}, "de": {"*", 1}, "co": {"~", 1}, "nt": {"!", 1},
	"pl": {"+", 2}, "mi": {"-", 2}, "ml": {"*", 2}, "dv": {"/", 2}, "rm": {"%", 2}, "an": {"&", 2}, "or": {"|", 2}, "eo": {"^", 2},
	"aS": {"=", 2}, "pL": {"+=", 2}, "mI": {"-=", 2}, "mL": {"*=", 2}, "dV": {"/=", 2}, "rM": {"%=", 2}, "aN": {"&=", 2}, "oR": {"|=", 2},
	"eO": {"^=", 2}, "ls": {"<<", 2}, "rs": {">>", 2}, "lS": {"<<=", 2}, "rS": {">>=", 2}, "eq": {"==", 2}, "ne": {"!=", 2}, "lt": {"<", 2},
	"gt": {">", 2}, "le": {"<=", 2}, "ge": {">=", 2}, "ss": {"<=>", 2}, "aa": {"&&", 2}, "oo": {"||", 2}, "pp": {"++", 1}, "mm": {"--", 1},
	"cm": {",", 2}, "pm": {"->*", 2}, "ds": {".*", 2}, "pt": {"->", 2}, "cl": {"()", 0}, "ix": {"[]", 2}, "qu": {"?", 3},
}

func (p *parser) operator() operator {
	if p.at+2 <= len(p.in) {
		if o, ok := operators[p.in[p.at:p.at+2]]; ok {
			p.at += 2
			return o
		}
	}
	p.fail()
	return operator{}
}

// expression reads one of the forms that begin with a letter or two of their own, or an operator and its operands.
func (p *parser) expression() string {
	defer p.leave()
	if !p.enter() {
		return ""
	}
	for _, form := range []func() (string, bool){p.operand, p.ofType, p.made, p.called, p.fold, p.cast} {
		if text, ok := form(); ok {
			return p.write(text)
		}
	}
	return p.operation()
}

// operand reads what has no operands itself: a literal, a parameter, a name.
func (p *parser) operand() (string, bool) {
	c := p.peek()
	switch {
	case p.take("gs"):
		return "::" + p.expression(), true
	case c == 'L':
		return p.literal(), true
	case c == 'T':
		return p.parameter(), true
	case p.take("fpT"):
		return "this", true
	case c == 'f' && p.ofFunction():
		return p.functionParameter(), true
	case p.take("sr"):
		return p.scoped(), true
	case p.take("tr"):
		return "throw", true
	case c >= '0' && c <= '9' || p.isNext("on") || p.isNext("dn"):
		return p.member(), true
	}
	return "", false
}

// ofType reads what asks for a property of a type or of an expression.
func (p *parser) ofType() (string, bool) {
	switch {
	case p.take("st"):
		return "sizeof(" + p.typ().text() + ")", true
	case p.take("sz"):
		return "sizeof(" + p.expression() + ")", true
	case p.take("sZ"):
		return "sizeof...(" + p.pack() + ")", true
	case p.take("at"):
		return "alignof(" + p.typ().text() + ")", true
	case p.take("az"):
		return "alignof(" + p.expression() + ")", true
	case p.take("ti"):
		return "typeid(" + p.typ().text() + ")", true
	case p.take("te"):
		return "typeid(" + p.expression() + ")", true
	case p.take("nx"):
		return "noexcept(" + p.expression() + ")", true
	}
	return "", false
}

// pack is what sizeof... counts: a parameter of the template or of the function.
func (p *parser) pack() string {
	if c := p.peek(); c != 'T' && c != 'f' {
		p.fail()
	}
	return p.expression()
}

// made reads what makes an object, or ends one.
func (p *parser) made() (string, bool) {
	switch {
	case p.take("il"):
		return "{" + p.initializers() + "}", true
	case p.take("tl"):
		t := p.typ().text()
		return t + "{" + p.initializers() + "}", true
	case p.take("nw"):
		return "new" + p.allocated(), true
	case p.take("na"):
		return "new[]" + p.allocated(), true
	case p.take("dl"):
		return "delete " + p.expression(), true
	case p.take("da"):
		return "delete[] " + p.expression(), true
	case p.take("tw"):
		return "throw " + p.expression(), true
	}
	return "", false
}

// allocated reads what follows new: where to, up to "_", the type, and what the object begins with.
func (p *parser) allocated() string {
	text, where := "", p.upTo("_", p.expression)
	if where != "" {
		text = " (" + where + ")"
	}
	text += " " + p.typ().text()
	switch {
	case p.take("pi"):
		return text + "(" + p.list() + ")"
	case p.take("il"):
		return text + "{" + p.initializers() + "}"
	}
	p.want("E")
	return text
}

// called reads calls, accesses to members, and packs that are spread out.
func (p *parser) called() (string, bool) {
	switch {
	case p.take("sp"):
		return p.expression() + "...", true
	case p.take("cl"):
		callee := p.expression()
		return callee + "(" + p.list() + ")", true
	case p.take("dt"):
		object := p.expression()
		return "(" + object + "." + p.member() + ")", true
	case p.take("pt"):
		object := p.expression()
		return "(" + object + "->" + p.member() + ")", true
	}
	return "", false
}

// fold reads an operator over a pack, from the left or the right, with a first operand or without.
func (p *parser) fold() (string, bool) {
	switch {
	case p.take("fl"):
		o := p.operator().text
		return "(..." + o + p.expression() + ")", true
	case p.take("fr"):
		o := p.operator().text
		return "(" + p.expression() + o + "...)", true
	case p.take("fL"), p.take("fR"):
		o := p.operator().text
		left := p.expression()
		return "(" + left + o + "..." + o + p.expression() + ")", true
	}
	return "", false
}

func (p *parser) cast() (string, bool) {
	if p.take("cv") {
		t := p.typ().text()
		if p.take("_") {
			return t + "(" + p.list() + ")", true
		}
		return "(" + t + ")" + p.expression(), true
	}
	for _, c := range casts {
		if p.take(c.code) {
			t := p.typ().text()
			return c.text + "<" + t + ">(" + p.expression() + ")", true
		}
	}
	return "", false
}

// operation reads an operator and its operands.
func (p *parser) operation() string {
	o := p.operator()
	if o.text == "++" || o.text == "--" {
		if p.take("_") {
			return p.write(o.text + p.expression())
		}
		return p.write(p.expression() + o.text)
	}
	switch o.args {
	case 1:
		return p.write(o.text + p.expression())
	case 2:
		left := p.expression()
		if o.text == "[]" {
			return p.write(left + "[" + p.expression() + "]")
		}
		return p.write(left + o.text + p.expression())
	case 3:
		condition, yes := p.expression(), ""
		yes = p.expression()
		return p.write(condition + "?" + yes + ":" + p.expression())
	}
	p.fail()
	return ""
}

// ofFunction reports whether a parameter of a function follows: fp, or fL and a number.
func (p *parser) ofFunction() bool {
	return p.isNext("fp") || p.isNext("fL") && p.at+2 < len(p.in) && p.in[p.at+2] >= '0' && p.in[p.at+2] <= '9'
}

// functionParameter is a parameter by its number, with the count of declarators around the one it is of.
func (p *parser) functionParameter() string {
	levels := 0
	if p.take("fL") {
		levels = p.number() + 1
		p.want("p")
	} else {
		p.want("fp")
	}
	text := strings.TrimLeft(p.qualifiers()+" param#", " ") + itoa(p.sequence(10)+1)
	switch levels {
	case 0:
		return text
	case 1:
		return text + "[up 1 level]"
	}
	return text + "[up " + itoa(levels) + " levels]"
}

var casts = []struct{ code, text string }{
	{"sc", "static_cast"}, {"dc", "dynamic_cast"}, {"cc", "const_cast"}, {"rc", "reinterpret_cast"},
}

// scoped reads a name that depends on a parameter, after sr: its class is a
// type, or plain names up to E.
func (p *parser) scoped() string {
	text := ""
	if c := p.peek(); c >= '0' && c <= '9' {
		for !p.failed && !p.take("E") {
			text += p.member() + "::"
		}
	} else {
		text = p.typ().text() + "::"
	}
	return p.write(text + p.member())
}

// member is a name that depends on a parameter, an operator's after on, a destructor's after dn.
func (p *parser) member() string {
	if p.take("dn") {
		switch p.peek() {
		case 'T':
			return "~" + p.parameter()
		case 'S':
			return "~" + p.substitution().text()
		}
		return "~" + p.withArguments(p.source())
	}
	switch {
	case p.take("gs"):
		return "::" + p.member()
	case p.take("sr"):
		return p.scoped()
	case p.take("on"):
		return p.withArguments(p.unqualified("").text)
	}
	return p.withArguments(p.source())
}

func (p *parser) withArguments(text string) string {
	if p.peek() == 'I' {
		text += p.arguments()
	}
	return text
}

// list reads expressions up to E.
func (p *parser) list() string { return p.upTo("E", p.expression) }

// upTo reads what stands up to an end, and returns it with commas between.
func (p *parser) upTo(end string, read func() string) string {
	var list []string
	for !p.failed && !p.take(end) {
		list = append(list, read())
	}
	return strings.Join(list, ", ")
}

// initializers reads what is in braces: each may say which member or element it is for.
func (p *parser) initializers() string { return p.upTo("E", p.initializer) }

func (p *parser) initializer() string {
	defer p.leave()
	if !p.enter() {
		return ""
	}
	text := ""
	switch {
	case p.take("di"):
		text = "." + p.source()
		if p.isNext("di") {
			return text + p.initializer()
		}
	case p.take("dx"):
		text = "[" + p.expression() + "]"
	case p.take("dX"):
		first := p.expression()
		text = "[" + first + " ... " + p.expression() + "]"
	default:
		return p.expression()
	}
	return p.write(text + "=" + p.initializer())
}
