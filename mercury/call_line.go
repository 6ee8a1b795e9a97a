package mercury

import (
	"fmt"
	"strings"
)

// callLine reads what the arguments and results of a call are:
//
//	6u142  5r102  8r102+1  10z    registers in their order: the operand at bit 142 is a uniform
//	                              one, that at bit 102 begins two, and R10 is zero
//	s158+1  s                     what goes on the stack, the second is zero
//	118=5  118+1=6  p91           results, and the predicate that is whether R4 isn't zero
func (p *parser) callLine(args []string) error {
	c := &call{}
	if len(p.shape.base) != 1 || p.plain {
		return fmt.Errorf("a call of %d words", len(p.shape.base))
	}
	for s := range strings.FieldsSeq(args[0]) {
		to, from, stack := strings.Cut(s, "s")
		if stack && to == "" {
			a := argument{kind: 'z'}
			if from != "" {
				a = argument{kind: 'r', from: p.part(from)}
			}
			c.stack = append(c.stack, a)
			continue
		}
		k := strings.IndexAny(s, "ruz")
		if k < 0 {
			return fmt.Errorf("argument %q", s)
		}
		a := argument{to: uint8(p.number(s[:k], 10, 6)), kind: s[k]}
		if a.kind != 'z' {
			a.from = p.part(s[k+1:])
		}
		c.args = append(c.args, a)
	}
	for s := range strings.FieldsSeq(args[1]) {
		if guard, ok := strings.CutPrefix(s, "p"); ok {
			at, _ := p.run(guard+"+5", 255)
			c.guard = uint8(at)
		} else if s != "-" {
			to, from, _ := strings.Cut(s, "=")
			c.results = append(c.results, result{p.part(to), uint8(p.number(from, 10, 6))})
		}
	}
	if len(c.stack) > 16 || len(c.results) > 16 {
		return fmt.Errorf("a call with %d results", len(c.results))
	}
	p.shape.call = c
	return nil
}

// part reads the first bit of an operand and which of its registers is meant.
func (p *parser) part(s string) operandPart {
	at, add, _ := strings.Cut(s, "+")
	if add == "" {
		add = "0"
	}
	first, _ := p.run(at+"+10", 255)
	return operandPart{uint8(first), uint8(p.number(add, 10, 4))}
}
