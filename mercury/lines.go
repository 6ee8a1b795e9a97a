package mercury

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A reader for each kind of line; Parse says what the fields are.

func (p *parser) formLine(args []string) error  { return p.startForm(args, false) }
func (p *parser) plainLine(args []string) error { return p.startForm(args, true) }

func (p *parser) startForm(args []string, plain bool) error {
	if err := p.endModel(); err != nil {
		return err
	}
	p.form = &form{tag: uint32(p.number(args[0], 16, 32)), release: args[2]}
	for s := range strings.SplitSeq(args[1], ",") {
		p.form.sms = append(p.form.sms, uint16(p.number(s, 10, 16)))
	}
	if plain != (p.form.tag < firstTag) {
		return fmt.Errorf("number %q", args[0])
	}
	like, _ := p.t.forms.Load(p.form.tag)
	forms, _ := like.([]*form)
	p.t.forms.Store(p.form.tag, append(forms, p.form))
	p.plain, p.model = plain, nil
	return nil
}

func (p *parser) modelLine(args []string) error {
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
	return nil
}

func (p *parser) sameLine(args []string) error {
	a, w := p.run(args[0], 255)
	b, w2 := p.run(args[1], 255)
	if w != w2 || len(p.model.sames) == 64 || p.shape != nil || p.model.key != nil {
		return fmt.Errorf("fields %q and %q", args[0], args[1])
	}
	p.model.sames = append(p.model.sames, same{uint8(a), uint8(b), uint8(w), p.number(args[2], 16, 64)})
	return nil
}

func (p *parser) keyLine(args []string) error {
	p.model.key = p.bits(args[0])
	return nil
}

func (p *parser) shapeLine(args []string) error {
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
	return nil
}

func (p *parser) constLine(args []string) error {
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
	return nil
}

func (p *parser) freeLine(args []string) error {
	at, w := p.words(args[0])
	for i := at; i < at+w; i++ {
		if i&64 == 0 {
			p.shape.mask[i>>7].Lo &^= 1 << (i & 63)
		} else {
			p.shape.mask[i>>7].Hi &^= 1 << (i & 63)
		}
	}
	return nil
}

func (p *parser) bitLine(args []string) error {
	p.shape.copies = append(p.shape.copies, p.copying(args))
	return nil
}

func (p *parser) notLine(args []string) error {
	c := p.copying(args)
	c.flip = 1<<c.width - 1
	p.shape.copies = append(p.shape.copies, c)
	return nil
}

func (p *parser) copying(args []string) copying {
	at, w := p.words(args[0])
	return copying{dst: uint16(at), src: uint8(p.number(args[1], 10, 8)), width: uint8(w)}
}

func (p *parser) sumLine(args []string) error {
	at, w := p.words(args[0])
	s := sum{dst: uint16(at), width: uint8(w), src: uint8(p.number(args[1], 10, 8))}
	if len(args) == 3 {
		s.add = p.number(args[2], 16, 64)
	} else {
		s.key, s.rows = p.bits(args[2]), p.rows(args[3])
	}
	p.shape.sums = append(p.shape.sums, s)
	return nil
}

func (p *parser) tableLine(args []string) error {
	l := lookup{key: p.bits(args[1]), rows: p.rows(args[2])}
	for s := range strings.SplitSeq(args[0], ",") {
		at, _ := p.words(s + "+1")
		l.dst = append(l.dst, uint16(at))
	}
	if len(l.dst) > 64 {
		return fmt.Errorf("table of %d bits", len(l.dst))
	}
	p.shape.lookups = append(p.shape.lookups, l)
	return nil
}
