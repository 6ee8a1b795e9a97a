package mercury

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Unused returns the bits of a record that the rules for it don't ask for, and
// the line of the table with their model. nvlink ignores such bits; a tool that
// writes them otherwise than all others do is to be noticed.
func (t *Table) Unused(sm cuda.SM, record []byte) (line int, unused [4]uint64, ok bool) {
	if why := t.check(record); why != Known {
		return 0, unused, false
	}
	v := getBits(record)
	for _, f := range t.formsOf(tagOf(record) &^ 0x80000000) {
		if !f.of(sm) {
			continue
		}
		for _, m := range f.models {
			if s, why := m.find(&v); why == Known && s.covers(&v) {
				all := m.unusedBits()
				return strings.Count(learned[:f.at], "\n") + m.line, [4]uint64(all[:4]), true
			}
		}
	}
	return 0, unused, false
}

// unusedBits returns the bits that no operand, lock or key of a model is made of,
// and no rule of any of its shapes.
func (m *model) unusedBits() bits {
	var used bits
	mark := func(at, width uint) {
		for i := at; i < at+width && i < 256; i++ {
			used[i>>6] |= 1 << (i & 63)
		}
	}
	mark(0, 32)
	for _, l := range m.locks {
		mark(uint(l.at), uint(l.width))
	}
	for _, s := range m.slots {
		mark(uint(s.at), uint(s.width))
	}
	for _, s := range m.sames {
		mark(uint(s.a), uint(s.width))
		mark(uint(s.b), uint(s.width))
	}
	key := func(at []uint16) {
		for _, i := range at {
			mark(uint(i), 1)
		}
	}
	key(m.key)
	for _, s := range m.shapes {
		for _, c := range s.copies {
			mark(uint(c.src), uint(c.width))
		}
		for _, r := range s.sums {
			mark(uint(r.src), uint(r.width))
			key(r.key)
		}
		for _, l := range s.lookups {
			key(l.key)
		}
		if s.call != nil {
			mark(callGuard-3, 1+2+predWidth)
		}
	}
	var out bits
	for i := range 4 {
		out[i] = ^used[i]
	}
	return out
}
