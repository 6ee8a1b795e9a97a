package cufilt

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// literal reads L type value E, or the name of an object or function.
func (p *parser) literal() string {
	p.want("L")
	if p.take("_Z") {
		text := p.encoding(false)
		p.want("E")
		return text
	}
	kind, begin := p.peek(), p.at
	t := p.typ().text()
	end := strings.IndexByte(p.in[p.at:], 'E')
	if end < 0 {
		p.fail()
		return ""
	}
	value := p.in[p.at : p.at+end]
	p.at += end + 1
	switch {
	case kind == 'e' || kind == 'g': // the tools leave names with such a number alone
		p.fail()
	case kind == 'C':
		value = p.complexNumber(value, floats[p.in[begin+1]])
	case value == "" && t == "std::nullptr_t":
		return "nullptr"
	case value == "":
		value = `"..."`
	case floats[kind] != 0:
		value = p.floating(value, floats[kind])
	case value[0] == 'n':
		value = "-" + value[1:]
	}
	return "(" + t + ")" + value
}

// floats are the sizes of floating point numbers.
var floats = map[byte]int{'f': 4, 'd': 8}

// complexNumber is a literal of two numbers with "_" between them.
func (p *parser) complexNumber(digits string, size int) string {
	re, im, _ := strings.Cut(digits, "_")
	return "(" + p.floating(re, size) + "+" + p.floating(im, size) + "i)"
}

// floating is a literal of size bytes, the highest first, in lower case.
func (p *parser) floating(digits string, size int) string {
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) != size || size == 0 || strings.ToLower(digits) != digits {
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
