package cufilt

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

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
	"cm": {",", 2}, "pm": {"->*", 2}, "pt": {"->", 2}, "cl": {"()", 0}, "ix": {"[]", 2}, "qu": {"?", 3},
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

func (p *parser) expression() string {
	defer p.leave()
	if !p.enter() {
		return ""
	}
	c := p.peek()
	switch {
	case c == 'L':
		return p.literal()
	case c == 'T':
		return p.parameter()
	case p.take("fp"):
		q := p.qualifiers()
		return strings.TrimLeft(q+" param#", " ") + itoa(p.sequence(10)+1)
	case p.take("sr"):
		return p.scoped()
	case p.take("st"):
		return "sizeof(" + p.typ().text() + ")"
	case p.take("sz"):
		return "sizeof(" + p.expression() + ")"
	case p.take("sZ"):
		return "sizeof...(" + p.expression() + ")"
	case p.take("sp"):
		return p.expression() + "..."
	case p.take("cv"):
		t := p.typ().text()
		if p.take("_") {
			return t + "(" + p.list() + ")"
		}
		return "(" + t + ")" + p.expression()
	case p.take("il"):
		return "{" + p.list() + "}"
	case p.take("tl"):
		t := p.typ().text()
		return t + "{" + p.list() + "}"
	case p.take("cl"):
		callee := p.expression()
		return callee + "(" + p.list() + ")"
	case p.take("dt"):
		object := p.expression()
		return "(" + object + "." + p.member() + ")"
	case p.take("pt"):
		object := p.expression()
		return "(" + object + "->" + p.member() + ")"
	case c >= '0' && c <= '9' || c == 'o' && p.take("on"):
		return p.member()
	}
	for _, c := range casts {
		if p.take(c.code) {
			t := p.typ().text()
			return c.text + "<" + t + ">(" + p.expression() + ")"
		}
	}
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

var casts = []struct{ code, text string }{
	{"sc", "static_cast"}, {"dc", "dynamic_cast"}, {"cc", "const_cast"}, {"rc", "reinterpret_cast"},
}

// scoped reads a name that depends on a parameter, behind sr: its class is a
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

// member is a name that depends on a parameter.
func (p *parser) member() string {
	text := p.unqualified("").text
	if p.peek() == 'I' {
		text += p.arguments()
	}
	return text
}

// list reads expressions up to E.
func (p *parser) list() string {
	var list []string
	for !p.failed && !p.take("E") {
		list = append(list, p.expression())
	}
	return strings.Join(list, ", ")
}

// literal reads L type value E, or the name of an object or function.
func (p *parser) literal() string {
	p.want("L")
	if p.take("_Z") {
		text := p.encoding(false)
		p.want("E")
		return text
	}
	kind := p.peek()
	t := p.typ().text()
	end := strings.IndexByte(p.in[p.at:], 'E')
	if end < 0 {
		p.fail()
		return ""
	}
	value := p.in[p.at : p.at+end]
	p.at += end + 1
	switch {
	case value == "" && t == "std::nullptr_t":
		return "nullptr"
	case value == "":
		value = `"..."`
	case kind == 'f' || kind == 'd':
		value = p.floating(value, map[byte]int{'f': 4, 'd': 8}[kind])
	case value[0] == 'n':
		value = "-" + value[1:]
	}
	return "(" + t + ")" + value
}

// floating is a literal of size bytes, the highest first, in lower case.
func (p *parser) floating(digits string, size int) string {
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) != size || strings.ToLower(digits) != digits {
		p.fail()
		return ""
	}
	v, precision := 0.0, 15
	if size == 4 {
		v, precision = float64(math.Float32frombits(binary.BigEndian.Uint32(data))), 6
	} else {
		v = math.Float64frombits(binary.BigEndian.Uint64(data))
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', precision, 64)), "+")
	}
	text := strconv.FormatFloat(v, 'g', precision, 64)
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok && strings.Contains(mantissa, ".") {
		text = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") + "e" + exponent
	} else if !ok && strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
