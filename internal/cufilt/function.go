package cufilt

import "strings"

// qualifiers reads K, V and r: "const volatile restrict".
func (p *parser) qualifiers() string {
	list := ""
	for {
		switch p.peek() {
		case 'r':
			list += " restrict"
		case 'V':
			list += " volatile"
		case 'K':
			list += " const"
		default:
			return words(list)
		}
		p.at++
	}
}

// function reads F … E, the result and what it takes, and before it what a member function has after its
// parameters, and what it says of exceptions. A substitution for it has no qualifiers.
func (p *parser) function() (typ, bool) {
	begin := p.at
	qualifiers := p.qualifiers()
	if qualifiers != "" {
		qualifiers = " " + qualifiers
	}
	except := ""
	switch {
	case p.isNext("DoF"):
		p.at += 2
		except = " noexcept"
	case p.take("DO"):
		except = " noexcept(" + p.expression() + ")"
		p.want("E")
	}
	if !p.take("F") {
		p.at = begin
		return typ{}, false
	}
	p.take("Y")
	t := p.typ()
	text := p.parameters()
	reference := ""
	switch {
	case p.take("RE"):
		reference = " &"
	case p.take("OE"):
		reference = " &&"
	default:
		p.want("E")
	}
	tight := t.tight || t.pointer && strings.HasSuffix(t.left, " ")
	p.keep(typ{left: t.left, right: text + reference + t.right + except, grouped: true, tight: tight})
	return typ{left: t.left, right: text + qualifiers + reference + t.right + except, grouped: true, tight: tight}, true
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
	tight := t.tight || !t.grouped && t.right != "" || t.pointer && strings.HasSuffix(t.left, " ")
	return typ{left: t.left, right: "[" + size + "]" + t.right, grouped: true, tight: tight}
}
