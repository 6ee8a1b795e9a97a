package fit

import (
	"maps"
	"slices"
)

// sample is an input of the structure at hand with its answer.
type sample struct {
	in  Vec
	out Out
}

// inDomain reports whether all operands hold what they may hold, and fixed
// bits what they have.
func (l *learner) inDomain(v Vec) bool {
	for i := range l.cfg.Fixed {
		if v.Bit(i) != l.bases[0].Bit(i) {
			return false
		}
	}
	for _, s := range l.model.Slots {
		if !s.Holds(v.Field(s.At, s.Width)) {
			return false
		}
	}
	return true
}

func (l *learner) samples(sig string) []sample {
	s := l.sorted[sig]
	if s == nil {
		s = &sorted{}
		l.sorted[sig] = s
	}
	for _, v := range l.cache.order[s.upto:] {
		if o := l.cache.by[v]; o.Sig == sig && l.inDomain(v) {
			s.all = append(s.all, sample{v, o})
		}
	}
	s.upto = len(l.cache.order)
	return s.all
}

func (l *learner) variants() {
	for k, va := range l.model.Variants {
		l.variant(k, va)
	}
}

// variant finds the rules of one structure.
func (l *learner) variant(at int, va *Variant) {
	members := l.members(at)
	if len(members) == 0 {
		return
	}
	deps := l.influence(va.Sig, members)
	if l.deps == nil {
		l.deps = map[string]map[int]map[int]bool{}
	}
	l.deps[va.Sig] = deps
	all := l.samples(va.Sig)
	width := 64 * len(l.one(members[0]).Bits)
	va.Rules, va.Open = nil, nil

	var hard []int
	for s := range width {
		r, ok := simple(s, deps[s], all)
		if !ok {
			r, ok = l.whole(s, all)
		}
		if ok {
			va.Rules = append(va.Rules, r)
			continue
		}
		hard = append(hard, s)
	}
	hard = l.sums(va, hard, deps, all)
	large := 0
	for _, s := range hard {
		if len(l.gather(slices.Collect(maps.Keys(deps[s])))) > maxTable {
			large++
		}
	}
	for _, s := range hard {
		if large > 3 {
			va.Open = append(va.Open, s)
			continue
		}
		r, ok := l.table(va.Sig, s, deps[s], members)
		if !ok {
			va.Open = append(va.Open, s)
			continue
		}
		va.Rules = append(va.Rules, r)
	}
	slices.SortFunc(va.Rules, func(a, b Rule) int { return a.Dst - b.Dst })
}

// influence flips every bit of every member and says which output bits went
// with it.
func (l *learner) influence(sig string, members []Vec) map[int]map[int]bool {
	deps := map[int]map[int]bool{}
	mark := func(s, i int) {
		if deps[s] == nil {
			deps[s] = map[int]bool{}
		}
		deps[s][i] = true
	}
	var all []Vec
	for _, b := range members {
		for _, i := range l.flips(b) {
			all = append(all, b.Flip(i))
		}
	}
	l.ask(all)
	for _, b := range members {
		at := l.flips(b)
		in := make([]Vec, len(at))
		for k, i := range at {
			in[k] = b.Flip(i)
		}
		was := l.one(b)
		for k, o := range l.ask(in) {
			if o.Sig == sig {
				for _, s := range was.differ(o) {
					mark(s, at[k])
				}
			}
		}
	}
	for s, more := range l.extra[sig] {
		for i := range more {
			mark(s, i)
		}
	}
	return deps
}

// simple tries a constant, a bit and its inverse on all samples.
func simple(s int, deps map[int]bool, all []sample) (Rule, bool) {
	if len(deps) == 0 {
		c := all[0].out.Bit(s)
		for _, x := range all {
			if x.out.Bit(s) != c {
				return Rule{}, false
			}
		}
		return Rule{Kind: Const, Dst: s, Add: c}, true
	}
	for i := range deps {
		if len(deps) > 1 {
			return Rule{}, false
		}
		c := all[0].out.Bit(s) ^ all[0].in.Bit(i)
		for _, x := range all {
			if x.out.Bit(s)^x.in.Bit(i) != c {
				return Rule{}, false
			}
		}
		if c == 1 {
			return Rule{Kind: Not, Dst: s, Src: i}, true
		}
		return Rule{Kind: Bits, Dst: s, Src: i}, true
	}
	return Rule{}, false
}

// table tries every value of the bits that an output bit depends on.
func (l *learner) table(sig string, s int, deps map[int]bool, members []Vec) (Rule, bool) {
	need := maps.Clone(deps)
	if need == nil {
		need = map[int]bool{}
	}
	for range 12 {
		key := l.gather(slices.Collect(maps.Keys(need)))
		if len(key) > maxTable && !slices.ContainsFunc(l.sparse, func(i int) bool { return need[i] }) ||
			len(key)-len(l.sparse) > maxTable {
			l.cfg.Trace("bit %d of %s depends on %v", s, sig, key)
			return Rule{}, false
		}
		rows, conflict := l.rows(sig, s, key, members)
		if conflict == nil {
			return shrink(Rule{Kind: Table, Dst: s, Key: key, Rows: rows}), len(rows) > 0
		}
		if len(l.seen) > 1 && !need[l.sparse[0]] {
			for _, i := range l.sparse {
				need[i] = true
			}
			continue
		}
		found := l.walk(sig, s, conflict[0], conflict[1])
		grown := false
		for _, i := range found {
			if !need[i] {
				need[i], grown = true, true
				l.depend(sig, s, i)
			}
		}
		if !grown {
			l.cfg.Trace("bit %d of %s: %v is not all it depends on", s, sig, key)
			return Rule{}, false
		}
	}
	return Rule{}, false
}

func (l *learner) depend(sig string, s, i int) {
	if l.extra[sig] == nil {
		l.extra[sig] = map[int]map[int]bool{}
	}
	if l.extra[sig][s] == nil {
		l.extra[sig][s] = map[int]bool{}
	}
	l.extra[sig][s][i] = true
}

// rows returns the output bit for each value of key, or two inputs that agree
// in key and not in the bit.
func (l *learner) rows(sig string, s int, key []int, members []Vec) (map[uint64]uint64, []Vec) {
	var in []Vec
	own := slices.DeleteFunc(slices.Clone(key), func(i int) bool { return slices.Contains(l.sparse, i) })
	seen := l.seen
	if len(own) == len(key) {
		seen = []Vec{{}}
	}
	for n, kind := range seen {
		for x := range uint64(1) << len(own) {
			for k := range min(4, len(members)) {
				v := members[(k*5+int(x%7)+n)%len(members)]
				if len(own) != len(key) {
					if k > 1 {
						break
					}
					v = l.give(v, kind)
				}
				in = append(in, l.put(v, own, x))
			}
		}
		if len(in) > maxStructures {
			break
		}
	}
	l.ask(in)
	rows, who := map[uint64]uint64{}, map[uint64]Vec{}
	all := l.samples(sig)
	for _, x := range all {
		k := x.in.Pick(key)
		if was, ok := rows[k]; ok && was != x.out.Bit(s) {
			return nil, l.nearest(all, s, key, k, []Vec{who[k], x.in})
		}
		rows[k], who[k] = x.out.Bit(s), x.in
	}
	return rows, nil
}

// mostPairs bounds the samples of either side that nearest compares.
const mostPairs = 150

// nearest returns of the samples with a value of the key the two that differ in the output bit
// and in the fewest steps: each step that they have in common need not be asked about. found is
// two that differ.
func (l *learner) nearest(all []sample, s int, key []int, value uint64, found []Vec) []Vec {
	var sides [2][]Vec
	for _, x := range all {
		if b := x.out.Bit(s); len(sides[b]) < mostPairs && x.in.Pick(key) == value {
			sides[b] = append(sides[b], x.in)
		}
	}
	least := len(l.steps(found[0], found[1]))
	for _, v := range sides[0] {
		for _, w := range sides[1] {
			// No step has more bits than a kind of operand has.
			if n := len(v.Differ(w)); n > 16*least {
				continue
			}
			if n := len(l.steps(v, w)); n < least {
				least, found = n, []Vec{v, w}
			}
		}
	}
	return found
}

// steps returns what turns v into w: bits, and operands whole.
func (l *learner) steps(v, w Vec) [][]int {
	var out [][]int
	slots := map[int]bool{}
	kinds := false
	for _, i := range v.Differ(w) {
		if i >= l.cfg.Bits {
			continue
		}
		if slices.Contains(l.sparse, i) {
			if !kinds {
				kinds = true
				out = append(out, l.sparse)
			}
			continue
		}
		s := l.slotAt(i)
		if s == nil {
			out = append(out, []int{i})
			continue
		}
		if !slots[s.At] {
			slots[s.At] = true
			var whole []int
			for j := range s.Width {
				whole = append(whole, s.At+j)
			}
			out = append(out, whole)
		}
	}
	return out
}

// walk goes from v to w, which differ in output bit s, and returns input bits
// on which s was seen to depend on the way.
func (l *learner) walk(sig string, s int, v, w Vec) []int {
	goal := l.one(w)
	if goal.Sig != sig {
		return nil // the asking has failed
	}
	want := goal.Bit(s)
	for range 6 {
		steps := l.steps(v, w)
		l.rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		path := make([]Vec, 0, len(steps)+1)
		at := v
		path = append(path, at)
		for _, g := range steps {
			at = at.Put(g, w.Pick(g))
			path = append(path, at)
		}
		out := l.ask(path)
		last := 0
		for k := 1; k < len(out); k++ {
			if out[k].Sig != sig {
				continue
			}
			if out[k].Bit(s) == want {
				// Something between last and k did it.
				var found []int
				if k-last == 1 {
					found = steps[last]
				} else if k-last < len(steps) {
					return l.walk(sig, s, path[last], path[k])
				} else {
					for _, g := range steps {
						found = append(found, g...)
					}
				}
				return found
			}
			last = k
		}
	}
	return nil
}

// shrink drops the key bits that decide nothing.
func shrink(r Rule) Rule {
	for k := 0; k < len(r.Key); {
		rows, ok := map[uint64]uint64{}, true
		for x, v := range r.Rows {
			y := x&(1<<k-1) | x>>(k+1)<<k
			if was, seen := rows[y]; seen && was != v {
				ok = false
				break
			}
			rows[y] = v
		}
		if !ok {
			k++
			continue
		}
		r.Rows, r.Key = rows, slices.Delete(slices.Clone(r.Key), k, k+1)
	}
	switch {
	case len(r.Key) == 0:
		return Rule{Kind: Const, Dst: r.Dst, Add: r.Rows[0]}
	case len(r.Key) == 1 && len(r.Rows) == 2:
		kind := Bits
		if r.Rows[0] == 1 {
			kind = Not
		}
		return Rule{Kind: kind, Dst: r.Dst, Src: r.Key[0]}
	}
	return r
}

// sums looks for fields that are an input field plus a number, and returns the
// bits that stay.
func (l *learner) sums(va *Variant, hard []int, deps map[int]map[int]bool, all []sample) []int {
	for a := 0; a < len(hard); {
		w := 1
		for a+w < len(hard) && hard[a+w] == hard[a]+w && w < 32 {
			w++
		}
		found := false
		for ; w >= 3 && !found; w-- {
			if r, ok := l.sum(hard[a], w, deps, all); ok {
				va.Rules = append(va.Rules, r)
				hard = slices.Delete(slices.Clone(hard), a, a+w)
				found = true
				break
			}
		}
		if !found {
			a++
		}
	}
	return hard
}

func (l *learner) sum(dst, w int, deps map[int]map[int]bool, all []sample) (Rule, bool) {
	union := map[int]bool{}
	for k := range w {
		for i := range deps[dst+k] {
			union[i] = true
		}
	}
	if len(union) < w || len(all) < 20 {
		return Rule{}, false
	}
	for _, q := range slices.Sorted(maps.Keys(union)) {
		if q+w > l.cfg.Bits || !union[q+w-1] {
			continue
		}
		if r, ok := l.sumOf(field{q, w}, dst, l.sumKey(field{q, w}, union), all); ok {
			return r, true
		}
	}
	return Rule{}, false
}

// field is some bits of an input that may be an addend.
type field struct{ at, width int }

// sumKey returns the bits on which what is added to a field may depend: the others.
func (l *learner) sumKey(f field, union map[int]bool) (key []int) {
	for _, i := range slices.Sorted(maps.Keys(union)) {
		if i < f.at || i >= f.at+f.width {
			key = append(key, i)
		}
	}
	if len(l.seen) > 1 {
		for _, i := range l.sparse {
			if !slices.Contains(key, i) {
				key = append(key, i)
			}
		}
	}
	return key
}

// added is what the output's field at dst has more than an input's.
func (x *sample) added(f field, dst int) uint64 {
	out := uint64(0)
	for k := range f.width {
		out |= x.out.Bit(dst+k) << k
	}
	return (out - x.in.Field(f.at, f.width)) & (1<<f.width - 1)
}

// sumOf returns the rule that the output's field at dst is an input's and what a key says.
func (l *learner) sumOf(f field, dst int, key []int, all []sample) (Rule, bool) {
	if len(key) > 32 {
		return Rule{}, false
	}
	rows, distinct := map[uint64]uint64{}, map[uint64]bool{}
	for i := range all {
		x := &all[i]
		c, kx := x.added(f, dst), x.in.Pick(key)
		if was, seen := rows[kx]; seen && was != c {
			return Rule{}, false
		}
		rows[kx] = c
		distinct[x.in.Field(f.at, f.width)] = true
	}
	if len(distinct) < f.width {
		return Rule{}, false
	}
	r := shrink(Rule{Kind: Table, Dst: dst, Key: key, Rows: rows})
	if r.Kind == Bits || r.Kind == Not {
		r.Key, r.Kind, r.Rows = []int{r.Src}, Table, map[uint64]uint64{}
		for i := range all {
			r.Rows[all[i].in.Bit(r.Src)] = all[i].added(f, dst)
		}
	}
	return Rule{Kind: Sum, Dst: dst, Width: f.width, Src: f.at, Add: r.Add, Key: r.Key, Rows: r.Rows}, true
}
