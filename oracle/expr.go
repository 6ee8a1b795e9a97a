package oracle

import (
	"fmt"
	"math/big"
)

// The right-hand side of a recipe step is a formula over whole numbers of any
// size and sign. It is kept as the tree that was parsed, for printing, and as
// the same operations in postfix order, for evaluating without recursion.

// Op is the operation of an [Expr].
type Op uint8

const (
	OpQuantity Op = iota + 1 // a named number of the record, the symbol or the place
	OpAdd                    // X + Y
	OpSub                    // X - Y
	OpShift                  // X >> N: division by 2^N, rounded down
	OpLow                    // LO(X): X modulo 2^32
	OpHigh                   // HI(X): X >> 32
	OpSigned                 // S32(X): the low 32 bits of X as a signed number
)

// Expr is one node of a formula.
type Expr struct {
	Op   Op
	Name Quantity // OpQuantity
	N    uint     // OpShift
	X, Y *Expr
}

// String prints the formula with parentheses wherever two operators meet, so
// that no rule of precedence is needed to read it.
func (e *Expr) String() string { return e.text(false) }

func (e *Expr) text(inner bool) string {
	var s string
	switch e.Op {
	case OpQuantity:
		return e.Name.String()
	case OpLow:
		return "LO(" + e.X.text(false) + ")"
	case OpHigh:
		return "HI(" + e.X.text(false) + ")"
	case OpSigned:
		return "S32(" + e.X.text(false) + ")"
	case OpAdd:
		s = e.X.text(e.X.Op != OpAdd) + " + " + e.Y.text(true)
	case OpSub:
		s = e.X.text(true) + " - " + e.Y.text(true)
	case OpShift:
		s = fmt.Sprintf("%s >> %d", e.X.text(true), e.N)
	}
	if inner {
		return "(" + s + ")"
	}
	return s
}

// uses reports whether the quantity occurs in the formula.
func (e *Expr) uses(q Quantity) bool {
	if e == nil {
		return false
	}
	if e.Op == OpQuantity {
		return e.Name == q
	}
	return e.X.uses(q) || e.Y.uses(q)
}

// postfix appends the formula's nodes, operands before their operator.
func (e *Expr) postfix(to []*Expr) []*Expr {
	if e.X != nil {
		to = e.X.postfix(to)
	}
	if e.Y != nil {
		to = e.Y.postfix(to)
	}
	return append(to, e)
}

// maxStack bounds the operands a formula may have waiting; the parser refuses
// what needs more.
const maxStack = 8

// depth returns the operands waiting at the formula's busiest moment.
func depth(code []*Expr) int {
	waiting, most := 0, 0
	for _, e := range code {
		switch e.Op {
		case OpQuantity:
			waiting++
		case OpAdd, OpSub:
			waiting--
		}
		most = max(most, waiting)
	}
	return most
}

// evaluate runs a formula in postfix order and returns its value, which stays
// valid until the next evaluation. load sets its argument to a quantity.
func (m *machine) evaluate(code []*Expr) *big.Int {
	top := -1
	for _, e := range code {
		switch e.Op {
		case OpQuantity:
			top++
			m.load(&m.stack[top], e.Name)
		case OpAdd:
			m.stack[top-1].Add(&m.stack[top-1], &m.stack[top])
			top--
		case OpSub:
			m.stack[top-1].Sub(&m.stack[top-1], &m.stack[top])
			top--
		case OpShift:
			m.stack[top].Rsh(&m.stack[top], e.N)
		case OpHigh:
			m.stack[top].Rsh(&m.stack[top], 32)
		case OpLow:
			low(&m.spare, &m.stack[top], 32)
			m.stack[top].Set(&m.spare)
		case OpSigned:
			low(&m.spare, &m.stack[top], 32)
			if m.spare.Cmp(two31) >= 0 {
				m.spare.Sub(&m.spare, two32)
			}
			m.stack[top].Set(&m.spare)
		}
	}
	return &m.stack[0]
}

var (
	two31 = big.NewInt(1 << 31)
	two32 = big.NewInt(1 << 32)
)
