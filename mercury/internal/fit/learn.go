package fit

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Asker answers inputs, in order.
type Asker func(ctx context.Context, in []Vec) ([]Out, error)

// Config says what the inputs of a form are.
type Config struct {
	First, Bits int // the bits of an input that may vary: First ≤ i < Bits
	// Registers and Predicates give the remainders modulo 8 at which operand
	// slots begin.
	Slots bool
	Fixed map[int]bool // bits that keep the values they have in the seeds
	// Whole lists fields of which it matters whether they are all ones: an input
	// has a bit of its own for each, the first at bit 128.
	Whole []Slot
	Seed  uint64
	Trace func(format string, args ...any)
}

const (
	maxBases  = 5
	maxKey    = 8 // bits of a structure key that are tried in full
	maxTable  = 7 // of a table's
	maxRounds = 5
	tests     = 200
	// operands is the first bit behind the modifiers.
	operands = 80
	// immediates is the first bit of those that only hold numbers.
	immediates = 192
	// maxStructures is the number of values of a key that are tried.
	maxStructures = 3000
	maxSplit      = 24 // values of the bits that a form is split by
)

type learner struct {
	ctx   context.Context
	cfg   Config
	ask0  Asker
	cache map[Vec]Out
	rng   *rand.Rand
	model *Model
	bases []Vec
	fixed map[int]bool // bits that belong to the domain of a slot, not to its value
	err   error
	extra map[string]map[int]map[int]bool // of a structure, of an output bit: input bits it was seen to depend on
	keyed map[int]bool
	bad   map[int]int // of an input bit, how often its flip had no answer, less how often it had
	deps  map[string]map[int]map[int]bool

	sparse []int // bits that are only put all together
	seen   []Vec // their values
}

// Learn finds the rules of a form from what ask answers, beginning at seeds.
//
// What can't be said with the rules of one model is split by the values that
// the bits in the way have in the seeds: such a bit is one of a number that
// names something, most of whose values name nothing.
func Learn(ctx context.Context, cfg Config, ask Asker, seeds []Vec) ([]*Model, error) {
	cache := map[Vec]Out{}
	return learn(ctx, cfg, ask, seeds, cache, 0)
}

func learn(ctx context.Context, cfg Config, ask Asker, seeds []Vec, cache map[Vec]Out, depth int) ([]*Model, error) {
	l := &learner{ctx: ctx, cfg: cfg, ask0: ask, cache: cache, rng: rand.New(rand.NewPCG(cfg.Seed, 1)),
		fixed: map[int]bool{}, extra: map[string]map[int]map[int]bool{}, keyed: map[int]bool{}, bad: map[int]int{}}
	if l.cfg.Trace == nil {
		l.cfg.Trace = func(string, ...any) {}
	}
	for i := range cfg.Fixed {
		l.fixed[i] = true
	}
	l.chooseBases(seeds)
	if l.err != nil || len(l.bases) == 0 {
		return nil, l.err
	}
	l.model = &Model{}
	l.findSlots()
	l.kinds(seeds)
	l.scatter()
	wrong := 0
	for round := range maxRounds {
		l.structure()
		l.variants()
		if l.err == nil && depth < 3 && l.tangled() {
			break
		}
		wrong = l.test(round)
		l.cfg.Trace("round %d: key %v, %d variants, %d wrong", round, l.model.Key, len(l.model.Variants), wrong)
		if l.err != nil {
			return nil, l.err
		}
		if wrong == 0 {
			break
		}
	}
	if hub := l.hub(wrong); len(hub) > 0 && depth < 3 {
		return l.split(hub, seeds, depth)
	}
	l.close(seeds)
	return []*Model{l.model}, l.err
}

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

// give returns v with the kinds of w.
func (l *learner) give(v, w Vec) Vec {
	for _, i := range l.sparse {
		v = v.With(i, w.Bit(i))
	}
	return v
}

// tangled reports whether many output bits have no rule.
func (l *learner) tangled() bool {
	open := 0
	for _, va := range l.model.Variants {
		open += len(va.Open)
	}
	return open > 3
}

// hub returns the bits that stand in the way of rules.
func (l *learner) hub(wrong int) []int {
	count, open := map[int]int{}, 0
	for _, va := range l.model.Variants {
		for _, s := range va.Open {
			open++
			for i := range l.deps[va.Sig][s] {
				count[i]++
			}
			for i := range l.extra[va.Sig][s] {
				if !l.deps[va.Sig][s][i] {
					count[i]++
				}
			}
		}
	}
	var hub []int
	for i, n := range count {
		if 4*n >= open && i < immediates && l.slotAt(i) == nil && !l.fixed[i] {
			hub = append(hub, i)
		}
	}
	if len(hub) == 0 && (open > 0 || wrong > 0) {
		for i := range l.keyed {
			if !l.fixed[i] {
				hub = append(hub, i)
			}
		}
		for _, byBit := range l.extra {
			for _, in := range byBit {
				for i := range in {
					if l.slotAt(i) == nil && !l.fixed[i] && !slices.Contains(hub, i) {
						hub = append(hub, i)
					}
				}
			}
		}
	}
	slices.Sort(hub)
	return hub
}

// split learns a model of each value that the bits of hub have in the seeds.
func (l *learner) split(hub []int, seeds []Vec, depth int) ([]*Model, error) {
	type part struct {
		value string
		seeds []Vec
	}
	var parts []*part
	valid := l.ask(seeds)
	for i, v := range seeds {
		if valid[i].Sig == "" {
			continue
		}
		value := make([]byte, len(hub))
		for k, at := range hub {
			value[k] = byte(v.Bit(at))
		}
		at := slices.IndexFunc(parts, func(p *part) bool { return p.value == string(value) })
		if at < 0 {
			at = len(parts)
			parts = append(parts, &part{value: string(value)})
		}
		parts[at].seeds = append(parts[at].seeds, v)
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return len(b.seeds) - len(a.seeds) })
	l.cfg.Trace("split by %v: %d values", hub, len(parts))
	cfg := l.cfg
	cfg.Fixed = maps.Clone(cfg.Fixed)
	if cfg.Fixed == nil {
		cfg.Fixed = map[int]bool{}
	}
	for _, i := range hub {
		cfg.Fixed[i] = true
	}
	var all []*Model
	for _, p := range parts[:min(len(parts), maxSplit)] {
		m, err := learn(l.ctx, cfg, l.ask0, p.seeds, l.cache, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}

func (l *learner) ask(in []Vec) []Out {
	out := make([]Out, len(in))
	if l.err != nil {
		return out
	}
	if len(l.cfg.Whole) > 0 {
		own := make([]Vec, len(in))
		for i, v := range in {
			own[i] = l.normal(v)
		}
		in = own
	}
	var miss []Vec
	asked := map[Vec]bool{}
	for _, v := range in {
		if _, ok := l.cache[v]; !ok && !asked[v] {
			asked[v] = true
			miss = append(miss, v)
		}
	}
	if len(miss) > 0 {
		got, err := l.ask0(l.ctx, miss)
		if err == nil && len(got) != len(miss) {
			err = fmt.Errorf("fit: %d answers to %d inputs", len(got), len(miss))
		}
		if err != nil {
			l.err = err
			return out
		}
		for i, v := range miss {
			l.cache[v] = got[i]
		}
	}
	for i, v := range in {
		out[i] = l.cache[v]
	}
	return out
}

func (l *learner) one(v Vec) Out { return l.ask([]Vec{v})[0] }

// chooseBases takes of the seeds that have an answer those that differ most.
func (l *learner) chooseBases(seeds []Vec) {
	var valid []Vec
	sigs := map[string]bool{}
	for i, o := range l.ask(seeds) {
		if o.Sig == "" {
			continue
		}
		seeds[i] = l.normal(seeds[i])
		if !sigs[o.Sig] && len(l.bases) < maxBases {
			sigs[o.Sig] = true
			l.bases = append(l.bases, seeds[i])
			continue
		}
		valid = append(valid, seeds[i])
	}
	for len(l.bases) < maxBases && len(valid) > 0 {
		best, far := -1, 0
		for i, v := range valid {
			near := 1 << 20
			for _, b := range l.bases {
				near = min(near, len(v.Differ(b)))
			}
			if near > far {
				best, far = i, near
			}
		}
		if best < 0 {
			break
		}
		l.bases = append(l.bases, valid[best])
		valid = slices.Delete(valid, best, best+1)
	}
}

// findSlots finds the operands that are narrowed on their way.
func (l *learner) findSlots() {
	if !l.cfg.Slots {
		return
	}
	try := func(at, width int, lone, all uint64) {
		for k := range width {
			if l.fixed[at+k] || l.slotAt(at+k) != nil {
				return
			}
		}
		for _, b := range l.bases {
			o := l.ask([]Vec{b.WithField(at, width, 0), b.WithField(at, width, lone), b.WithField(at, width, all)})
			if l.err != nil || o[0].Sig == "" || o[1].Sig == "" || o[1].Sig != o[2].Sig || o[0].equal(o[1]) || !o[1].equal(o[2]) {
				continue
			}
			if !l.copied(b, at, width) {
				continue
			}
			l.model.Slots = append(l.model.Slots, Slot{at, width})
			return
		}
	}
	for at := 86; at+10 <= l.cfg.Bits; at += 8 {
		try(at, 10, 255, 1023)
	}
	for at := 35; at+5 <= l.cfg.Bits; at += 8 {
		try(at, 5, 7, 31)
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

// copied reports whether the low bits of a field come out as they are, side by side.
func (l *learner) copied(b Vec, at, width int) bool {
	zero := b.WithField(at, width, 0)
	o := l.ask([]Vec{zero, zero.Flip(at), zero.Flip(at + 1), zero.Flip(at + 2)})
	first := -1
	for k, x := range o[1:] {
		if x.Sig != o[0].Sig {
			return false
		}
		d := o[0].differ(x)
		if first < 0 && len(d) > 0 {
			first = d[0]
		}
		// A pair of words may hold a register and the one behind it.
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
	var more []Vec
	for _, b := range l.bases {
		v := b
		for _, s := range l.model.Slots {
			if s.At == 35 {
				continue
			}
			x := l.operand(s)
			for x == 1<<s.Width-1 {
				x = l.operand(s)
			}
			if w := v.WithField(s.At, s.Width, x); l.one(w).Sig != "" {
				v = w
			}
		}
		if v != b {
			more = append(more, v)
		}
		if w := b.WithField(35, 5, l.rng.Uint64N(7)); l.slotAt(35) != nil && l.one(w).Sig != "" {
			more = append(more, w)
		}
	}
	l.bases = append(l.bases, more...)
	if len(l.bases) > 2*maxBases {
		l.bases = l.bases[:2*maxBases]
	}
}

// flips returns the bits that may be inverted in v: not those that would make
// of an operand something that is none.
func (l *learner) flips(v Vec) []int {
	var at []int
	for i := l.cfg.First; i < l.cfg.Bits; i++ {
		if l.fixed[i] || l.bad[i] > 2 || slices.Contains(l.sparse, i) {
			continue
		}
		if s := l.slotAt(i); s != nil && v.Field(s.At, s.Width) == 1<<s.Width-1 {
			continue
		}
		if s := l.slotAt(i); s != nil && !s.Holds(v.Flip(i).Field(s.At, s.Width)) {
			continue
		}
		at = append(at, i)
	}
	return at
}

// structure finds which input bits choose the structure, and what each of
// their values gives.
func (l *learner) structure() {
	for _, b := range l.bases {
		at := l.flips(b)
		in := make([]Vec, len(at))
		for k, i := range at {
			in[k] = b.Flip(i)
		}
		sig := l.one(b).Sig
		for k, o := range l.ask(in) {
			if o.Sig == "" {
				l.bad[at[k]]++
				continue
			}
			l.bad[at[k]]--
			if o.Sig != sig {
				l.keyed[at[k]] = true
			}
		}
	}
	for i := range l.keyed {
		if l.slotAt(i) != nil {
			delete(l.keyed, i)
		}
	}
	for _, i := range l.sparse {
		delete(l.keyed, i)
	}
	key := make([]int, 0, len(l.keyed))
	for i := range l.keyed {
		key = append(key, i)
	}
	key = l.gather(key)
	own := key
	key = append(slices.Clone(key), l.sparse...)
	slices.Sort(key)
	m := l.model
	m.Key, m.Select, m.Variants = key, map[uint64]int{}, nil
	seen := l.seen
	if len(seen) == 0 {
		seen = []Vec{{}}
	}
	var in []Vec
	if len(own) <= maxKey && len(seen)<<len(own) <= maxStructures {
		for n, kind := range seen {
			for x := range uint64(1) << len(own) {
				for k := range min(rowsPerKey(len(own)), len(l.bases)) {
					in = append(in, l.put(l.give(l.bases[(k*7+int(x)+n)%len(l.bases)], kind), own, x))
				}
			}
		}
	} else {
		for _, b := range l.bases {
			for _, c := range l.bases {
				v := l.put(b, key, c.Pick(key))
				in = append(in, v)
				for _, i := range own {
					if i < l.cfg.Bits {
						in = append(in, v.Flip(i))
					}
				}
			}
			for _, kind := range seen {
				in = append(in, l.give(b, kind))
			}
		}
	}
	index := map[string]int{}
	for i, o := range l.ask(in) {
		if o.Sig == "" {
			continue
		}
		at, ok := index[o.Sig]
		if !ok {
			at = len(m.Variants)
			index[o.Sig] = at
			m.Variants = append(m.Variants, &Variant{Sig: o.Sig, Size: len(o.Bits)})
		}
		x := l.normal(in[i]).Pick(key)
		if was, ok := m.Select[x]; ok && was != at {
			// The key is not the whole key: the test will say what it lacks.
			continue
		}
		m.Select[x] = at
	}
}

// members returns bases of a structure: those that are of it, and others with
// its keys.
func (l *learner) members(at int) []Vec {
	var out []Vec
	sig := l.model.Variants[at].Sig
	have := map[Vec]bool{}
	add := func(v Vec) {
		if !have[v] && l.one(v).Sig == sig {
			have[v] = true
			out = append(out, v)
		}
	}
	for _, b := range l.bases {
		add(b)
	}
	var keys []uint64
	for x, k := range l.model.Select {
		if k == at {
			keys = append(keys, x)
		}
	}
	slices.Sort(keys)
	for n := 0; n < 8 && len(keys) > 0 && len(out) < maxBases+3; n++ {
		x := keys[l.rng.IntN(len(keys))]
		add(l.put(l.bases[l.rng.IntN(len(l.bases))], l.model.Key, x))
	}
	return out
}

// rowsPerKey is how many inputs are tried of each value of an n-bit key.
func rowsPerKey(n int) int {
	if n > 10 {
		return 1
	}
	return 3
}
