package fit

import "slices"

// test makes inputs that were not asked before, predicts and asks. Where the
// prediction is wrong it finds out what else the output depends on.
func (l *learner) test(round int) int {
	var in []Vec
	m := l.model
	// What was asked for one bit may contradict the rule of another.
	wrong := 0
	for _, v := range l.cache.order {
		o := l.cache.by[v]
		if !l.inDomain(v) {
			continue
		}
		if p, why := m.Predict(v); why == "" && !p.equal(o) {
			wrong++
		}
	}
	if wrong > 0 && round < maxRounds-1 {
		return wrong
	}
	wrong = 0
	for range tests {
		in = append(in, l.random())
	}
	for k, o := range l.ask(in) {
		if o.Sig == "" || !l.inDomain(in[k]) {
			continue
		}
		p, why := m.Predict(in[k])
		if why == "structure" {
			// A key that was not among those tried.
			if !slices.ContainsFunc(m.Variants, func(v *Variant) bool { return v.Sig == o.Sig }) {
				l.bases = append(l.bases, in[k])
				wrong++
			}
			continue
		}
		if why != "" {
			continue
		}
		if p.Sig != o.Sig {
			wrong++
			if wrong < 5 {
				l.blameKey(in[k], o)
			}
			continue
		}
		if d := p.differ(o); len(d) > 0 {
			wrong++
			if wrong < 5 {
				l.blame(in[k], o, d)
			}
		}
	}
	return wrong
}

// random makes an input of a base by changing some of its fields.
func (l *learner) random() Vec {
	b := l.bases[l.rng.IntN(len(l.bases))]
	m := l.model
	if l.rng.IntN(2) == 0 {
		c := l.bases[l.rng.IntN(len(l.bases))]
		for _, g := range l.steps(b, c) {
			if l.rng.IntN(2) == 0 {
				b = b.Put(g, c.Pick(g))
			}
		}
	}
	if len(m.Key) > 0 && len(m.Select) > 0 && l.rng.IntN(3) == 0 {
		keys := make([]uint64, 0, len(m.Select))
		for x := range m.Select {
			keys = append(keys, x)
		}
		slices.Sort(keys)
		b = l.put(b, m.Key, keys[l.rng.IntN(len(keys))])
	}
	for _, s := range m.Slots {
		if s.At == 35 && l.rng.IntN(4) > 0 {
			continue
		}
		if l.rng.IntN(2) == 0 {
			b = b.WithField(s.At, s.Width, l.operand(s))
		}
	}
	if len(l.seen) > 1 && l.rng.IntN(3) == 0 {
		b = l.give(b, l.seen[l.rng.IntN(len(l.seen))])
	}
	for _, f := range l.cfg.Whole {
		if l.rng.IntN(6) == 0 && !l.fixed[f.At] {
			b = b.WithField(f.At, f.Width, 1<<f.Width-1)
		}
	}
	few := l.rng.IntN(4)
	for i := l.cfg.First; i < l.cfg.Bits; i++ {
		if l.fixed[i] || l.bad[i] > 2 || l.slotAt(i) != nil || slices.Contains(l.sparse, i) {
			continue
		}
		var p bool
		switch few {
		case 0:
			p = l.rng.IntN(50) == 0
		case 1:
			p = l.rng.IntN(12) == 0
		case 2:
			// Modifiers that only matter together.
			p = i < operands && l.rng.IntN(2) == 0
		default:
			p = i >= 192 && l.rng.IntN(2) == 0 || l.rng.IntN(60) == 0
		}
		if p {
			b = b.Flip(i)
		}
	}
	return l.normal(b)
}

// blame finds what the output bits d depend on beside what is known.
func (l *learner) blame(v Vec, o Out, d []int) {
	base, near := Vec{}, 1<<20
	for _, b := range l.bases {
		if l.one(b).Sig != o.Sig {
			continue
		}
		if p, why := l.model.Predict(b); why != "" || !p.equal(l.one(b)) {
			continue
		}
		if n := len(b.Differ(v)); n < near {
			base, near = b, n
		}
	}
	if near == 1<<20 {
		return
	}
	// Take back every step that is not needed for the prediction to fail.
	bad := func(x Vec) bool {
		x = l.normal(x)
		a := l.one(x)
		if a.Sig != o.Sig {
			return false
		}
		p, why := l.model.Predict(x)
		return why == "" && p.Sig == a.Sig && slices.ContainsFunc(d, func(s int) bool { return p.Bit(s) != a.Bit(s) })
	}
	at := v
	for {
		steps := l.steps(at, base)
		tries := make([]Vec, len(steps))
		for k, g := range steps {
			tries[k] = at.Put(g, base.Pick(g))
		}
		l.ask(tries)
		done := true
		for k, g := range steps {
			if bad(tries[k]) {
				next := at.Put(g, base.Pick(g))
				if bad(next) {
					at, done = next, false
					break
				}
			}
		}
		if done {
			break
		}
	}
	at = l.normal(at)
	a := l.one(at)
	p, why := l.model.Predict(at)
	if a.Sig != o.Sig || why != "" {
		return // the asking has failed
	}
	for _, g := range l.steps(at, base) {
		for _, i := range g {
			for _, s := range d {
				if p.Bit(s) != a.Bit(s) {
					l.depend(o.Sig, s, i)
				}
			}
		}
	}
	l.cfg.Trace("blame %v for %v", l.steps(at, base), d)
	if len(l.bases) < 6*maxBases {
		l.bases = append(l.bases, at)
	}
}

// blameKey finds what the structure depends on beside the key that is known.
func (l *learner) blameKey(v Vec, o Out) {
	base, near := Vec{}, 1<<20
	for _, b := range l.bases {
		if p, why := l.model.Predict(b); why != "" || p.Sig != l.one(b).Sig {
			continue
		}
		if n := len(b.Differ(v)); n < near {
			base, near = b, n
		}
	}
	if near == 1<<20 {
		return
	}
	bad := func(x Vec) bool {
		x = l.normal(x)
		a := l.one(x)
		p, why := l.model.Predict(x)
		return a.Sig != "" && why == "" && p.Sig != a.Sig
	}
	at := v
	for {
		done := true
		steps := l.steps(at, base)
		tries := make([]Vec, len(steps))
		for k, g := range steps {
			tries[k] = at.Put(g, base.Pick(g))
		}
		l.ask(tries)
		for k := range steps {
			if bad(tries[k]) {
				at, done = tries[k], false
				break
			}
		}
		if done {
			break
		}
	}
	for _, g := range l.steps(at, base) {
		for _, i := range g {
			if !slices.Contains(l.sparse, i) {
				l.keyed[i] = true
			}
		}
	}
	l.cfg.Trace("structure: blame %v", l.steps(at, base))
	if len(l.bases) < 6*maxBases {
		l.bases = append(l.bases, at)
	}
}

// close says what the inputs that were never seen to vary mean, and counts.
func (l *learner) close() {
	l.closeInputs()
	m := l.model
	index := map[string]*Variant{}
	for _, va := range m.Variants {
		index[va.Sig] = va
	}
	inputs := make([]Vec, 0, len(l.cache.order))
	for _, v := range l.cache.order {
		if l.inDomain(v) && index[l.cache.by[v].Sig] != nil {
			inputs = append(inputs, v)
		}
	}
	for _, v := range inputs {
		l.strike(v, index)
	}
	for k, v := range inputs {
		o := l.cache.by[v]
		p, why := m.Predict(v)
		if why != "" {
			continue
		}
		if !p.equal(o) {
			index[o.Sig].Wrong++
			continue
		}
		index[o.Sig].Samples++
		if len(inputs) < 400 || k%(len(inputs)/400+1) == 0 {
			m.Proven = append(m.Proven, v)
		}
	}
}

// closeInputs locks the input bits that were never seen to vary, and notes those that
// vary without being asked for.
func (l *learner) closeInputs() {
	first, varies := l.varied()
	if first == nil {
		return
	}
	used := l.model.usedBits()
	for i := l.cfg.First; i < l.cfg.Bits; i++ {
		switch {
		case l.slotAt(i) != nil:
		case !varies[i]:
			l.model.Locked = append(l.model.Locked, Lock{i, first.Bit(i)})
		case !used[i]:
			l.model.Dead = append(l.model.Dead, i)
		}
	}
}

// varied returns the first input, nil for none, and in which bits any differs from it.
func (l *learner) varied() (first *Vec, varies map[int]bool) {
	varies = map[int]bool{}
	for _, v := range l.cache.order {
		if !l.inDomain(v) {
			continue
		}
		if first == nil {
			first = &v
		}
		for _, i := range first.Differ(v) {
			varies[i] = true
		}
	}
	return first, varies
}

// usedBits returns the input bits that the model asks for.
func (m *Model) usedBits() map[int]bool {
	used := map[int]bool{}
	for _, i := range m.Key {
		used[i] = true
	}
	for _, va := range m.Variants {
		for _, r := range va.Rules {
			for _, i := range r.Key {
				used[i] = true
			}
			for k := range max(r.Width, 1) {
				if r.Kind == Bits || r.Kind == Not || r.Kind == Sum {
					used[r.Src+k] = true
				}
			}
		}
	}
	return used
}

// strike takes back what a sample contradicts: the row of a table, the value of
// a key, else the whole structure.
func (l *learner) strike(v Vec, index map[string]*Variant) {
	o := l.cache.by[v]
	p, why := l.model.Predict(v)
	if why != "" || p.equal(o) {
		return
	}
	if p.Sig != o.Sig {
		delete(l.model.Select, v.Pick(l.model.Key))
		return
	}
	va := index[o.Sig]
	for _, s := range p.differ(o) {
		for _, r := range va.Rules {
			if s < r.Dst || s >= r.Dst+max(r.Width, 1) {
				continue
			}
			if r.Rows != nil {
				delete(r.Rows, v.Pick(r.Key))
			} else if !slices.Contains(va.Open, s) {
				va.Open = append(va.Open, s)
			}
		}
	}
}
