package cufilt

import (
	"slices"
	"strings"
)

// typ is a type as text around the place of a declarator: "void (*" and
// ")(int)". A name is a typ without a right part.
type typ struct {
	left, right string
	// grouped: a function or an array, so that a pointer to it needs parentheses.
	grouped bool
	// tight: a declarator stands without a blank, as after the class that a
	// member's own name brings.
	tight   bool
	pointer bool // qualifiers follow it
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

// qualify adds const, volatile and restrict: before a name, after a pointer.
func (t typ) qualify(q string) typ {
	if q == "" {
		return t
	}
	switch {
	case t.grouped && !strings.Contains(t.left, "("): // of an array the tools show none
	case t.pointer:
		own := ""
		t.left, own = trailing(t.left)
		t.left += words(q+" "+own) + " "
	default:
		own, rest := leading(t.left)
		t.left = words(q+" "+own) + " " + rest
	}
	return t
}

var qualifierWords = []string{"const", "volatile", "restrict"}

// leading splits the qualifiers off that a type begins with.
func leading(text string) (qualifiers, rest string) {
	rest = text
	for _, w := range qualifierWords {
		if behind, ok := strings.CutPrefix(rest, w+" "); ok {
			qualifiers, rest = qualifiers+" "+w, behind
		}
	}
	return qualifiers, rest
}

// trailing splits the qualifiers off that a pointer ends with.
func trailing(text string) (rest, qualifiers string) {
	rest = text
	for _, w := range slices.Backward(qualifierWords) {
		if front, ok := strings.CutSuffix(rest, w+" "); ok {
			rest, qualifiers = front, qualifiers+" "+w
		}
	}
	return rest, qualifiers
}

// words puts qualifiers into their order, each once.
func words(list string) string {
	var all []string
	for _, w := range qualifierWords {
		if slices.Contains(strings.Fields(list), w) {
			all = append(all, w)
		}
	}
	return strings.Join(all, " ")
}

var builtins = map[byte]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short",
	't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long",
	'y': "unsigned long long", 'n': "__int128", 'o': "unsigned __int128", 'f': "float", 'd': "double",
	'e': "long double", 'g': "__float128", 'z': "...",
}

var moreBuiltins = []struct{ code, text string }{
	{"Dn", "std::nullptr_t"}, {"Di", "char32_t"}, {"Ds", "char16_t"}, {"Du", "char8_t"},
	{"Da", "auto"}, {"Dc", "decltype(auto)"},
}

// floatBuiltins are the types of a number of bits, as releases since 13 show them and as those of 12 do; 11.8 knows none.
var floatBuiltins = []struct{ code, text, of12 string }{
	{"Dh", "__fp16", "__fp16"}, {"DF16b", "std::bfloat16_t", "std::bfloat16_t"}, {"DF16_", "_Float16", "std::float16_t"},
	{"DF32_", "_Float32", "std::float32_t"}, {"DF64_", "_Float64", "std::float64_t"}, {"DF128_", "_Float128", "std::float128_t"},
	{"DF32x", "_Float32x", "_Float32x"}, {"DF64x", "_Float64x", "_Float64x"},
}

// keep makes a type known to later substitutions.
func (p *parser) keep(t typ) typ {
	if !p.failed {
		p.write(t.left + t.right)
		p.subs = append(p.subs, t)
	}
	return t
}
