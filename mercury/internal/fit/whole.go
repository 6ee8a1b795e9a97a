package fit

import "slices"

// normal returns v with the bits of whole fields as they have to be.
func (l *learner) normal(v Vec) Vec { return Normal(l.cfg.Whole, v) }

// Normal returns v with the bits of whole fields as they have to be.
func Normal(whole []Slot, v Vec) Vec {
	for k, f := range whole {
		b := uint64(0)
		if v.Field(f.At, f.Width) == 1<<f.Width-1 {
			b = 1
		}
		v = v.With(firstWhole+k, b)
	}
	return v
}

const firstWhole = 128

// put is Vec.Put; a field whose bit is put gets all ones, or another value.
func (l *learner) put(v Vec, key []int, x uint64) Vec {
	v = v.Put(key, x)
	if len(l.cfg.Whole) == 0 {
		return v
	}
	for k, i := range key {
		if i < l.cfg.Bits {
			continue
		}
		f := l.cfg.Whole[i-firstWhole]
		all := uint64(1)<<f.Width - 1
		switch now := v.Field(f.At, f.Width); {
		case x>>k&1 == 1:
			v = v.WithField(f.At, f.Width, all)
		case now == all:
			v = v.WithField(f.At, f.Width, 2)
		}
	}
	return l.normal(v)
}

// gather sorts the bits of a key, and takes for all bits of a whole field its one.
func (l *learner) gather(key []int) []int {
	for k, f := range l.cfg.Whole {
		all := true
		for i := range f.Width {
			all = all && slices.Contains(key, f.At+i)
		}
		if all {
			key = slices.DeleteFunc(key, func(i int) bool { return f.At <= i && i < f.At+f.Width })
			key = append(key, firstWhole+k)
		}
	}
	slices.Sort(key)
	return slices.Compact(key)
}

// whole tries the bits of whole fields on all samples.
func (l *learner) whole(s int, all []sample) (Rule, bool) {
	for k := range l.cfg.Whole {
		i := firstWhole + k
		ok, ones := true, 0
		for _, x := range all {
			if x.out.Bit(s) != x.in.Bit(i) {
				ok = false
				break
			}
			ones += int(x.in.Bit(i))
		}
		if ok && ones > 0 && ones < len(all) {
			return Rule{Kind: Bits, Dst: s, Src: i}, true
		}
	}
	return Rule{}, false
}
