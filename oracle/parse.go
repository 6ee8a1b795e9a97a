package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// The notation of recipes.
//
//	recipe = "nothing" | step { ";" step }
//	step   = "bits[" first [ ".." last ] "]" "=" sum
//	sum    = term { ("+" | "-") term }
//	term   = factor [ ">>" number ]
//	factor = QUANTITY | ("LO" | "HI" | "S32") "(" sum ")" | "(" sum ")"
//
// It is the "start:width=value" notation in which the field's tables of
// relocations are usually written, with two things added. The right-hand side
// says where the old content of the field comes in (OLD), because the tool
// adds it before the shift in byte lanes and after it elsewhere. And both ends
// of a field are written, because that is how manuals of the instruction sets
// name fields.

// Step is one field write: Field = Expr modulo 2^Width.
type Step struct {
	Field Field
	Expr  *Expr

	code     []*Expr // Expr in postfix order
	readsOld bool    // OLD occurs in it
	implicit bool    // ... and is the addend of a REL record, not bank bits
}

// String prints the step as the notation has it.
func (s Step) String() string { return s.Field.String() + " = " + s.Expr.String() }

const (
	maxRecipeText  = 1 << 10
	maxRecipeSteps = 4
	maxNesting     = 8
)

// parseRecipe reads the text of one recipe. "nothing" gives no steps.
func parseRecipe(text string) ([]Step, error) {
	if len(text) > maxRecipeText {
		return nil, fmt.Errorf("recipe of %d bytes", len(text))
	}
	if strings.TrimSpace(text) == "nothing" {
		return nil, nil
	}
	parts := strings.Split(text, ";")
	if len(parts) > maxRecipeSteps {
		return nil, fmt.Errorf("recipe of %d steps", len(parts))
	}
	var steps []Step
	for _, part := range parts {
		step, err := parseStep(part)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", strings.TrimSpace(part), err)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func parseStep(text string) (Step, error) {
	left, right, found := strings.Cut(text, "=")
	if !found {
		return Step{}, fmt.Errorf("no =")
	}
	field, err := parseField(strings.TrimSpace(left))
	if err != nil {
		return Step{}, err
	}
	p := &reader{rest: right}
	e, err := p.sum()
	if err != nil {
		return Step{}, err
	}
	if p.peek() != "" {
		return Step{}, fmt.Errorf("%q left over", p.peek())
	}
	step := Step{Field: field, Expr: e, code: e.postfix(nil), readsOld: e.uses(Old)}
	step.implicit = step.readsOld && !e.uses(Bank)
	if depth(step.code) > maxStack {
		return Step{}, fmt.Errorf("formula too deep")
	}
	return step, nil
}

func parseField(text string) (Field, error) {
	inside, ok := strings.CutPrefix(text, "bits[")
	if ok {
		inside, ok = strings.CutSuffix(inside, "]")
	}
	if !ok {
		return Field{}, fmt.Errorf("no bits[...]")
	}
	first, last, isRange := strings.Cut(inside, "..")
	if !isRange {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 8)
	if err != nil {
		return Field{}, fmt.Errorf("first bit: %w", err)
	}
	to, err := strconv.ParseUint(last, 10, 8)
	if err != nil {
		return Field{}, fmt.Errorf("last bit: %w", err)
	}
	if to < from || to > maxBit {
		return Field{}, fmt.Errorf("bits %d to %d", from, to)
	}
	return Field{Start: uint(from), Width: uint(to - from + 1)}, nil
}

// reader reads a formula by recursive descent; nesting is counted so that a
// text of nothing but parentheses ends in an error.
type reader struct {
	rest string
	nest int
}

// peek returns the next token, "" at the end.
func (p *reader) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	n := 0
	for n < len(p.rest) && isWord(p.rest[n]) {
		n++
	}
	switch {
	case n > 0:
	case strings.HasPrefix(p.rest, ">>"):
		n = 2
	case p.rest != "":
		n = 1
	}
	return p.rest[:n]
}

func isWord(c byte) bool {
	return c == '_' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (p *reader) next() string {
	token := p.peek()
	p.rest = p.rest[len(token):]
	return token
}

func (p *reader) sum() (*Expr, error) {
	p.nest++
	defer func() { p.nest-- }()
	if p.nest > maxNesting {
		return nil, fmt.Errorf("formula too deep")
	}
	e, err := p.term()
	for err == nil && (p.peek() == "+" || p.peek() == "-") {
		op := OpAdd
		if p.next() == "-" {
			op = OpSub
		}
		var right *Expr
		right, err = p.term()
		e = &Expr{Op: op, X: e, Y: right}
	}
	return e, err
}

func (p *reader) term() (*Expr, error) {
	e, err := p.factor()
	if err != nil || p.peek() != ">>" {
		return e, err
	}
	p.next()
	n, err := strconv.ParseUint(p.next(), 10, 6)
	if err != nil {
		return nil, fmt.Errorf("shift: %w", err)
	}
	return &Expr{Op: OpShift, X: e, N: uint(n)}, nil
}

func (p *reader) factor() (*Expr, error) {
	token := p.next()
	op := map[string]Op{"LO": OpLow, "HI": OpHigh, "S32": OpSigned}[token]
	if op == 0 && token != "(" {
		q := quantityNames[token]
		if q == 0 {
			return nil, fmt.Errorf("%q is not a quantity", token)
		}
		return &Expr{Op: OpQuantity, Name: q}, nil
	}
	if op != 0 && p.next() != "(" {
		return nil, fmt.Errorf("no ( after %s", token)
	}
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.next() != ")" {
		return nil, fmt.Errorf("no )")
	}
	if op != 0 {
		e = &Expr{Op: op, X: e}
	}
	return e, nil
}
