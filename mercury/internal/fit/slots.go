package fit

import (
	"slices"
)

// findSlots finds the operands that are narrowed on their way. A field in which
// a seed has what is no operand only looks like one.
func (l *learner) findSlots(seeds []Vec) {
	if !l.cfg.Slots {
		return
	}
	var places []Slot
	for at := 86; at+10 <= l.cfg.Bits; at += 8 {
		places = append(places, Slot{at, 10})
	}
	for at := 35; at+5 <= l.cfg.Bits; at += 8 {
		places = append(places, Slot{at, 5})
	}
	var valid []Vec
	for i, o := range l.ask(seeds) {
		if o.Sig != "" {
			valid = append(valid, seeds[i])
		}
	}
	places = slices.DeleteFunc(places, func(s Slot) bool {
		return slices.ContainsFunc(valid, func(v Vec) bool { return !s.Holds(v.Field(s.At, s.Width)) })
	})
	for _, b := range l.bases {
		// Asked for all at once; what is looked at below has its answer then.
		var in []Vec
		for _, s := range places {
			if l.slotAt(s.At) == nil {
				in = append(in, tries(b, s)...)
			}
		}
		l.ask(in)
		for _, s := range places {
			if l.free(s) && l.narrowed(b, s) {
				l.model.Slots = append(l.model.Slots, s)
			}
		}
	}
	slices.SortFunc(l.model.Slots, func(a, b Slot) int { return a.At - b.At })
	for _, s := range l.model.Slots {
		low := 8
		if s.Width == 5 {
			low = 3
		}
		for k := low; k < s.Width; k++ {
			l.fixed[s.At+k] = true
		}
	}
	l.cfg.Trace("slots %v", l.model.Slots)
}

// tries returns inputs that say whether there is an operand in a place.
func tries(b Vec, s Slot) []Vec {
	lone := uint64(255)
	if s.Width == 5 {
		lone = 7
	}
	zero := b.WithField(s.At, s.Width, 0)
	return []Vec{zero, zero.WithField(s.At, s.Width, lone), zero.WithField(s.At, s.Width, 1<<s.Width-1),
		zero.Flip(s.At), zero.Flip(s.At + 1), zero.Flip(s.At + 2)}
}

// free reports whether none of the bits is known to be something else.
func (l *learner) free(s Slot) bool {
	for k := range s.Width {
		if l.fixed[s.At+k] || l.slotAt(s.At+k) != nil {
			return false
		}
	}
	return true
}

// narrowed reports whether a field is an operand: all its ones come out as
// those of the narrow field do, and its low bits as they are, side by side.
func (l *learner) narrowed(b Vec, s Slot) bool {
	o := l.ask(tries(b, s))
	if l.err != nil || o[0].Sig == "" || o[1].Sig == "" || o[1].Sig != o[2].Sig || o[0].equal(o[1]) || !o[1].equal(o[2]) {
		return false
	}
	first := -1
	for k, x := range o[3:] {
		if x.Sig != o[0].Sig {
			return false
		}
		d := o[0].differ(x)
		if first < 0 && len(d) > 0 {
			first = d[0]
		}
		// A pair of words may hold a register and the one after it.
		if len(d) == 0 || len(d) > 3 || d[0] != first+k {
			return false
		}
	}
	return true
}

func (l *learner) slotAt(bit int) *Slot {
	for i := range l.model.Slots {
		if s := &l.model.Slots[i]; s.At <= bit && bit < s.At+s.Width {
			return s
		}
	}
	return nil
}

func (l *learner) operand(s Slot) uint64 {
	all, few := uint64(1)<<s.Width-1, uint64(7)
	if s.Width == 10 {
		few = 255
	}
	if l.rng.IntN(8) == 0 {
		return all
	}
	return l.rng.Uint64N(few)
}

// scatter gives the operands of each base other values, so that flips of their
// bits stay registers and predicates, and keeps the base as it was beside it.
func (l *learner) scatter() {
	var try []Vec
	for _, b := range l.bases {
		for range 2 {
			v := b
			for _, s := range l.model.Slots {
				if s.At == 35 {
					continue
				}
				x := l.operand(s)
				for x == 1<<s.Width-1 {
					x = l.operand(s)
				}
				v = v.WithField(s.At, s.Width, x)
			}
			try = append(try, v)
		}
		if l.slotAt(35) != nil {
			try = append(try, b.WithField(35, 5, l.rng.Uint64N(7)))
		}
	}
	for k, o := range l.ask(try) {
		if o.Sig != "" && !slices.Contains(l.bases, try[k]) {
			l.bases = append(l.bases, try[k])
		}
	}
	if len(l.bases) > 2*maxBases {
		l.bases = l.bases[:2*maxBases]
	}
}
