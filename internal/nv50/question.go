package nv50

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Param is a value that a question takes.
type Param struct {
	Name, Default, Help string
}

// Question is something that the page answers.
type Question struct {
	Name, Short string
	Params      []Param
	ask         func(*values) ([]Reading, []string)
}

// Reading is one answer and who gives it.
type Reading struct {
	Side  string // "formula", "prose", or one of them in a certain reading
	Value string
}

// Answer is what both sides say.
type Answer struct {
	Readings []Reading
	Agree    bool     // all readings are the same
	Why      []string // of Contradictions: what they part over
}

// ValueError says that a value can't be read.
type ValueError struct{ Param, Value, Reason string }

func (e *ValueError) Error() string { return fmt.Sprintf("--%s %s: %s", e.Param, e.Value, e.Reason) }

// Ask answers the question; what given lacks has its default. The error is a
// *ValueError.
func (q *Question) Ask(given map[string]string) (*Answer, error) {
	v := &values{text: map[string]string{}}
	for _, p := range q.Params {
		v.text[p.Name] = p.Default
		if g, ok := given[p.Name]; ok {
			v.text[p.Name] = g
		}
	}
	readings, why := q.ask(v)
	if v.err != nil {
		return nil, v.err
	}
	a := &Answer{Readings: readings, Agree: true, Why: why}
	for _, r := range readings {
		a.Agree = a.Agree && r.Value == readings[0].Value
	}
	if a.Agree {
		a.Why = nil
	}
	return a, nil
}

// values reads parameters; the first that can't be read sticks.
type values struct {
	text map[string]string
	err  error
}

func (v *values) fail(name, reason string) {
	if v.err == nil {
		v.err = &ValueError{name, v.text[name], reason}
	}
}

// number reads a number up to a limit that the page gives.
func (v *values) number(name string, most uint64) uint32 {
	n, err := strconv.ParseUint(v.text[name], 0, 32)
	if err != nil {
		v.fail(name, "no number of 32 bits")
	} else if n > most {
		v.fail(name, fmt.Sprintf("at most %d", most))
	}
	return uint32(n)
}

// wide reads a number of 64 bits.
func (v *values) wide(name string) uint64 {
	n, err := strconv.ParseUint(v.text[name], 0, 64)
	if err != nil {
		v.fail(name, "no number of 64 bits")
	}
	return n
}

// three reads "x,y,z".
func (v *values) three(name string, most [3]uint64) (out [3]uint32) {
	f := strings.Split(v.text[name], ",")
	if len(f) != 3 {
		v.fail(name, "wanted x,y,z")
		return out
	}
	for i := range f {
		n, err := strconv.ParseUint(strings.TrimSpace(f[i]), 0, 32)
		if err != nil || n > most[i] {
			v.fail(name, fmt.Sprintf("%q: no number up to %d", f[i], most[i]))
		}
		out[i] = uint32(n)
	}
	return out
}

func (v *values) yes(name string) bool {
	b, err := strconv.ParseBool(v.text[name])
	if err != nil {
		v.fail(name, "wanted true or false")
	}
	return b
}

// mask reads a mask of active units as a mask and as a list of ids.
func (v *values) mask(name string, most uint64) (mask uint32, ids []int) {
	mask = v.number(name, most)
	if mask == 0 {
		v.fail(name, "none is active")
	}
	for m := mask; m != 0; m &= m - 1 {
		ids = append(ids, bits.TrailingZeros32(m))
	}
	return mask, ids
}

func hex[T uint32 | uint64](n T) string { return fmt.Sprintf("0x%x", uint64(n)) }
