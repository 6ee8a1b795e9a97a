package mercury

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Parse reads a table. One line says one thing; what it says holds for what
// is above it:
//
//	form   TAG  SMS  RELEASE         the first four bytes of a record
//	plain  OPCODE  SMS  RELEASE      a word's: its shapes are tags, their words a record
//	model  SLOTS  LOCKS              86+10: an operand; 49+1=0: only this value is known
//	same   A+N  B+N  ADD             field A is field B and ADD: bit 256 for the first of a model
//	key    BITS                      of the record, choose the shape
//	shape  OPCODES  KEYS  SAMPLES    keys of more than one shape are omitted
//	const  WORD ...                  upper half, lower half of each word
//	free   DST+N                     not decided by the record
//	bit    DST+N  SRC                of the words, of the record
//	not    DST+N  SRC
//	sum    DST+N  SRC  ADD           or BITS KEY=ADD ...
//	table  DST,...  BITS  KEY=VALUE ...
//	call   ARGUMENTS  RESULTS        the word is that which sets R4 in a call of the driver: see callLine
func Parse(text string) (*Table, error) {
	p := parser{t: &Table{}}
	if err := p.lines(text); err != nil {
		return nil, err
	}
	return p.t, nil
}

// lines reads text.
func (p *parser) lines(text string) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		p.at = n
		if f := p.split(line); f == nil {
			continue
		} else if err := p.line(f); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return p.endModel()
}

// split returns the fields of a line until the next is split, nil where it has none.
func (p *parser) split(line string) []string {
	line = strings.TrimSuffix(line, "\n")
	if line == "" || line[0] == '#' {
		return nil
	}
	p.fields = p.fields[:0]
	for tab := strings.IndexByte(line, '\t'); tab >= 0; tab = strings.IndexByte(line, '\t') {
		p.fields = append(p.fields, line[:tab])
		line = line[tab+1:]
	}
	p.fields = append(p.fields, line)
	return p.fields
}

type parser struct {
	t      *Table
	fields []string
	form   *form
	model  *model
	shape  *shape
	plain  bool
	at     int // the number of the line
	err    error
}

// place is what a line must be below.
type place int

const (
	anywhere place = iota
	inForm
	inModel
	inShape
)

// lineKind is a kind of line: the fields after its first, where it may stand,
// and what reads it.
type lineKind struct {
	fields int
	below  place
	read   func(p *parser, args []string) error
}

// kindOf is a switch, not a map: nothing is to be made before a table is read.
func kindOf(word string) lineKind {
	switch word {
	case "form":
		return lineKind{3, anywhere, (*parser).formLine}
	case "plain":
		return lineKind{3, anywhere, (*parser).plainLine}
	case "model":
		return lineKind{2, inForm, (*parser).modelLine}
	case "same":
		return lineKind{3, inModel, (*parser).sameLine}
	case "key":
		return lineKind{1, inModel, (*parser).keyLine}
	case "shape":
		return lineKind{3, inModel, (*parser).shapeLine}
	case "const":
		return lineKind{1, inShape, (*parser).constLine}
	case "free":
		return lineKind{1, inShape, (*parser).freeLine}
	case "bit":
		return lineKind{2, inShape, (*parser).bitLine}
	case "not":
		return lineKind{2, inShape, (*parser).notLine}
	case "sum":
		return lineKind{3, inShape, (*parser).sumLine}
	case "table":
		return lineKind{3, inShape, (*parser).tableLine}
	case "call":
		return lineKind{2, inShape, (*parser).callLine}
	}
	return lineKind{}
}

// line reads a line. What its fields hold wrongly is in p.err.
func (p *parser) line(f []string) error {
	kind, args := kindOf(f[0]), f[1:]
	if kind.read == nil || len(args) < kind.fields {
		return fmt.Errorf("%q with %d fields", f[0], len(args))
	}
	switch {
	case kind.below >= inForm && p.form == nil, kind.below >= inModel && p.model == nil:
		return fmt.Errorf("%q before a form and its model", f[0])
	case kind.below == inShape && p.shape == nil:
		return fmt.Errorf("%q before a shape", f[0])
	}
	if err := kind.read(p, args); err != nil {
		return err
	}
	return p.err
}

// endModel puts the shapes of a model in order of their keys.
func (p *parser) endModel() error {
	p.shape = nil
	if p.model == nil {
		return nil
	}
	list := p.model.choose
	byKey := func(a, b choice) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(list, byKey) {
		slices.SortFunc(list, byKey)
	}
	for i := 1; i < len(list); i++ {
		if list[i].key == list[i-1].key {
			return fmt.Errorf("key %x chooses two shapes", list[i].key)
		}
	}
	return nil
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// digits is one more than the value of a character as a digit, 0 for none.
var digits = [256]uint8{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16,
}

// number reads a number of so many bits at most, in base 10 or 16.
func (p *parser) number(s string, base uint8, size int) (x uint64) {
	if len(s) == 0 || len(s) > 16 {
		p.fail("number %q", s)
		return 0
	}
	for i := range len(s) {
		digit := digits[s[i]] - 1
		if digit >= base {
			p.fail("number %q", s)
			return 0
		}
		x = x*uint64(base) + uint64(digit)
	}
	if x>>(size-1)>>1 != 0 {
		p.fail("number %q", s)
		return 0
	}
	return x
}

// run reads "first+width", the last bit of which is at most last.
func (p *parser) run(s string, last int) (at, width int) {
	a, w, _ := strings.Cut(s, "+")
	at, width = int(p.number(a, 10, 16)), int(p.number(w, 10, 16))
	if width == 0 || width > 64 || at+width-1 > last {
		p.fail("bits %q", s)
		return 0, 1
	}
	return at, width
}

// words reads bits of the words of a shape, which don't cross a half.
func (p *parser) words(s string) (at, width int) {
	at, width = p.run(s, 128*len(p.shape.base)-1)
	if at>>6 != (at+width-1)>>6 {
		p.fail("bits %q", s)
		return 0, 1
	}
	return at, width
}

// bits reads bits of the record, and those of the model's sames.
func (p *parser) bits(s string) []uint16 {
	var out []uint16
	if s == "" {
		return nil
	}
	for f := range strings.SplitSeq(s, ",") {
		n := p.number(f, 10, 16)
		if n >= 256+uint64(len(p.model.sames)) {
			p.fail("bit %q", f)
			return nil
		}
		out = append(out, uint16(n))
	}
	if len(out) > 32 {
		p.fail("key of %d bits", len(out))
	}
	return out
}

func (p *parser) rows(s string) rows {
	out := make(rows, 0, strings.Count(s, "="))
	for s != "" {
		var f string
		f, s, _ = strings.Cut(s, " ")
		k, v, _ := strings.Cut(f, "=")
		out = append(out, row{uint32(p.number(k, 16, 32)), p.number(v, 16, 64)})
	}
	byKey := func(a, b row) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(out, byKey) {
		slices.SortFunc(out, byKey)
	}
	return out
}
