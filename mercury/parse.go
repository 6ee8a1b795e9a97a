package mercury

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a table. One line says one thing; what it says holds for what
// stands above it:
//
//	form   TAG  SMS  RELEASE         the first four bytes of a record
//	plain  OPCODE  SMS  RELEASE      a word's: its shapes are tags, their words a record
//	model  SLOTS  LOCKS              86+10: an operand; 49+1=0: only this value is known
//	key    BITS                      of the record, choose the shape
//	shape  OPCODES  KEYS  SAMPLES    keys of more than one shape are left out
//	const  WORD ...                  upper half, lower half of each word
//	free   DST+N                     not decided by the record
//	bit    DST+N  SRC                of the words, of the record
//	not    DST+N  SRC
//	sum    DST+N  SRC  ADD           or BITS KEY=ADD ...
//	table  DST,...  BITS  KEY=VALUE ...
func Parse(text string) (*Table, error) {
	p := parser{t: newTable()}
	if err := p.lines(text, 0); err != nil {
		return nil, err
	}
	return p.t, nil
}

// lines reads text, which stands behind n lines of a table.
func (p *parser) lines(text string, n int) error {
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		p.fields = p.fields[:0]
		for f := range strings.SplitSeq(line, "\t") {
			p.fields = append(p.fields, f)
		}
		p.at = n
		if err := p.line(p.fields); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return p.endModel()
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

func (p *parser) line(f []string) error {
	args := f[1:]
	need := fieldsOf(f[0])
	if need == 0 || len(args) < need {
		return fmt.Errorf("%q with %d fields", f[0], len(args))
	}
	switch {
	case f[0] == "form", f[0] == "plain":
	case p.form == nil, p.model == nil && f[0] != "model":
		return fmt.Errorf("%q before a form and its model", f[0])
	case p.shape == nil && f[0] != "model" && f[0] != "key" && f[0] != "shape":
		return fmt.Errorf("%q before a shape", f[0])
	}
	switch f[0] {
	case "form", "plain":
		if err := p.endModel(); err != nil {
			return err
		}
		p.form = &form{tag: uint32(p.number(args[0], 16, 32)), release: args[2]}
		for s := range strings.SplitSeq(args[1], ",") {
			p.form.sms = append(p.form.sms, uint16(p.number(s, 10, 16)))
		}
		by := p.t.forms
		if p.plain = f[0] == "plain"; p.plain {
			by = p.t.plain
		}
		if by[p.form.tag] == nil {
			by[p.form.tag] = &entry{}
		}
		by[p.form.tag].forms = append(by[p.form.tag].forms, p.form)
		p.model = nil
	case "model":
		if err := p.endModel(); err != nil {
			return err
		}
		p.model = &model{line: p.at}
		p.form.models = append(p.form.models, p.model)
		for s := range strings.FieldsSeq(args[0]) {
			at, w := p.run(s, 255)
			p.model.slots = append(p.model.slots, slot{uint8(at), uint8(w)})
		}
		for s := range strings.FieldsSeq(args[1]) {
			s, v, _ := strings.Cut(s, "=")
			at, w := p.run(s, 255)
			p.model.locks = append(p.model.locks, lock{uint8(at), uint8(w), p.number(v, 16, 64)})
		}
	case "key":
		p.model.key = p.bits(args[0])
	case "shape":
		p.shape = &shape{samples: int(p.number(args[2], 10, 31))}
		for s := range strings.FieldsSeq(args[0]) {
			p.shape.ops = append(p.shape.ops, uint32(p.number(s, 16, 32)))
		}
		words := len(p.shape.ops)
		if words == 0 || p.plain && words > 1 {
			return fmt.Errorf("shape of %d", words)
		}
		if p.plain {
			words = 2
		}
		for s := range strings.FieldsSeq(args[1]) {
			p.model.choose = append(p.model.choose, choice{uint32(p.number(s, 16, 32)), p.shape})
		}
		p.model.shapes = append(p.model.shapes, p.shape)
		p.shape.base = make([]Word, words)
		p.shape.mask = make([]Word, words)
		for i := range p.shape.mask {
			p.shape.mask[i] = Word{^uint64(0), ^uint64(Schedule)}
		}
	case "const":
		if len(args) != len(p.shape.base) {
			return fmt.Errorf("%d words for %d", len(args), len(p.shape.base))
		}
		for i, s := range args {
			b, err := hex.DecodeString(s)
			if err != nil || len(b) != 16 {
				return fmt.Errorf("word %q", s)
			}
			slices.Reverse(b)
			p.shape.base[i] = GetWord(b)
		}
	case "free":
		at, w := p.words(args[0])
		for i := at; i < at+w; i++ {
			if i&64 == 0 {
				p.shape.mask[i>>7].Lo &^= 1 << (i & 63)
			} else {
				p.shape.mask[i>>7].Hi &^= 1 << (i & 63)
			}
		}
	case "bit", "not":
		at, w := p.words(args[0])
		c := copying{dst: uint16(at), src: uint8(p.number(args[1], 10, 8)), width: uint8(w)}
		if f[0] == "not" {
			c.flip = 1<<w - 1
		}
		p.shape.copies = append(p.shape.copies, c)
	case "sum":
		at, w := p.words(args[0])
		s := sum{dst: uint16(at), width: uint8(w), src: uint8(p.number(args[1], 10, 8))}
		if len(args) == 3 {
			s.add = p.number(args[2], 16, 64)
		} else {
			s.key, s.rows = p.bits(args[2]), p.rows(args[3])
		}
		p.shape.sums = append(p.shape.sums, s)
	case "table":
		l := lookup{key: p.bits(args[1]), rows: p.rows(args[2])}
		for s := range strings.SplitSeq(args[0], ",") {
			at, _ := p.words(s + "+1")
			l.dst = append(l.dst, uint16(at))
		}
		if len(l.dst) > 64 {
			return fmt.Errorf("table of %d bits", len(l.dst))
		}
		p.shape.lookups = append(p.shape.lookups, l)
	}
	return p.err
}

// fieldsOf is the number of fields behind the first of a line.
func fieldsOf(kind string) int {
	switch kind {
	case "key", "const", "free":
		return 1
	case "model", "bit", "not":
		return 2
	case "form", "plain", "shape", "sum", "table":
		return 3
	}
	return 0
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

func (p *parser) number(s string, base, size int) uint64 {
	x, err := strconv.ParseUint(s, base, size)
	if err != nil {
		p.fail("number %q", s)
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

func (p *parser) bits(s string) []uint8 {
	var out []uint8
	if s == "" {
		return nil
	}
	for f := range strings.SplitSeq(s, ",") {
		out = append(out, uint8(p.number(f, 10, 8)))
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
