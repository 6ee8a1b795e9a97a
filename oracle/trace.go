package oracle

import (
	"fmt"
	"math/big"
	"strings"
)

// StepTrace is one field write as it happened.
type StepTrace struct {
	Step  Step
	Old   *big.Int // what the field held
	Value *big.Int // what the formula gave, of any size and sign
	New   *big.Int // what was written: Value modulo 2^Width
}

// String prints the step on one line.
func (s StepTrace) String() string {
	return fmt.Sprintf("%s: old 0x%x, value %s, new 0x%x", s.Step, s.Old, signed(s.Value), s.New)
}

func signed(x *big.Int) string {
	if x.Sign() < 0 {
		return fmt.Sprintf("-0x%x", new(big.Int).Neg(x))
	}
	return fmt.Sprintf("0x%x", x)
}

// Traced is an evaluation with its steps.
type Traced struct {
	Recipe  *Recipe
	Inputs  Inputs
	Before  []byte
	Steps   []StepTrace
	Outcome Outcome
}

// Trace does what [Apply] does and writes down each step.
func Trace(number uint32, place []byte, in Inputs) (Traced, error) {
	m := new(machine)
	t := Traced{Inputs: in, Before: append([]byte(nil), place...)}
	out, err := m.apply(number, place, in, func(s *Step, value *big.Int) {
		t.Steps = append(t.Steps, StepTrace{
			Step:  *s,
			Old:   new(big.Int).Set(&m.old),
			Value: new(big.Int).Set(value),
			New:   new(big.Int).Set(&m.value),
		})
	})
	if err != nil {
		return Traced{}, err
	}
	t.Recipe, t.Outcome = out.recipe, out
	return t, nil
}

// String prints the evaluation, one line a step.
func (t Traced) String() string {
	var b strings.Builder
	kind := "REL"
	if t.Inputs.Rela {
		kind = "RELA"
	}
	name := "?"
	if t.Recipe != nil {
		name = t.Recipe.Name
	}
	fmt.Fprintf(&b, "%s %s: S 0x%x, A %d, P 0x%x, section type 0x%x, slot 0x%x\n", kind, name,
		t.Inputs.S, t.Inputs.A, t.Inputs.P, uint32(t.Inputs.SectionType), t.Inputs.Slot)
	for _, s := range t.Steps {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	fmt.Fprintf(&b, "  %x -> %x\n", t.Before, t.Outcome.Bytes)
	return b.String()
}
