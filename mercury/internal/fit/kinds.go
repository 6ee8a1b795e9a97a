package fit

import (
	"fmt"
	"maps"
	"slices"
)

// kinds finds the bits among the operands, beside the operands themselves, that
// say of what kind they are. Most of their values mean nothing: they are put
// all together, and only to values that they have in a seed.
func (l *learner) kinds(seeds []Vec) {
	if !l.cfg.Slots {
		return
	}
	var at []int
	for i := operands; i < min(immediates, l.cfg.Bits); i++ {
		if l.slotAt(i) == nil && !l.fixed[i] {
			at = append(at, i)
		}
	}
	effect := map[int]string{}
	odd := map[int]bool{}
	l.askFlips(l.bases, at)
	for _, b := range l.bases {
		in := make([]Vec, len(at))
		for k, i := range at {
			in[k] = b.Flip(i)
		}
		was := l.one(b)
		for k, o := range l.ask(in) {
			if o.Sig != was.Sig {
				odd[at[k]] = true
				continue
			}
			e := fmt.Sprint(was.differ(o))
			if old, ok := effect[at[k]]; ok && old != e {
				odd[at[k]] = true
			}
			effect[at[k]] = e
		}
	}
	l.sparse = slices.Sorted(maps.Keys(odd))
	seen := map[Vec]bool{}
	var none Vec
	for k, o := range l.ask(seeds) {
		if o.Sig == "" {
			continue
		}
		only := none
		for _, i := range l.sparse {
			only = only.With(i, seeds[k].Bit(i))
		}
		if !seen[only] {
			seen[only] = true
			l.seen = append(l.seen, only)
		}
	}
	l.cfg.Trace("kinds %v: %d values", l.sparse, len(l.seen))
}

// askFlips asks for inputs at once with single bits inverted: those of at, or
// all that may be.
func (l *learner) askFlips(of []Vec, at []int) {
	var in []Vec
	for _, b := range of {
		bits := at
		if bits == nil {
			bits = l.flips(b)
		}
		for _, i := range bits {
			in = append(in, b.Flip(i))
		}
	}
	l.ask(in)
}

// give returns v with the kinds of w.
func (l *learner) give(v, w Vec) Vec {
	for _, i := range l.sparse {
		v = v.With(i, w.Bit(i))
	}
	return v
}
