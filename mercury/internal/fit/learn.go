package fit

import (
	"context"
	"fmt"
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
	// operands is the first bit after the modifiers.
	operands = 80
	// immediates is the first bit of those that only hold numbers.
	immediates = 192
	// maxStructures is the number of values of a key that are tried.
	maxStructures = 3000
	maxHub        = 16 // bits that a form is split by
	maxSplit      = 24 // values of the bits that a form is split by
)

// answers is what was asked, the inputs that had an answer in order.
type answers struct {
	by    map[Vec]Out
	order []Vec
}

// sorted is the samples of one structure among the first upto answers.
type sorted struct {
	all  []sample
	upto int
}

type learner struct {
	ctx    context.Context
	cfg    Config
	ask0   Asker
	cache  *answers
	sorted map[string]*sorted
	rng    *rand.Rand
	model  *Model
	bases  []Vec
	fixed  map[int]bool // bits that belong to the domain of a slot, not to its value
	err    error
	extra  map[string]map[int]map[int]bool // of a structure, of an output bit: input bits it was seen to depend on
	keyed  map[int]bool
	bad    map[int]int // of an input bit, how often its flip had no answer, less how often it had
	deps   map[string]map[int]map[int]bool

	seeds  []Vec
	sparse []int // bits that are only put all together
	seen   []Vec // their values
}

// Learn finds the rules of a form from what ask answers, beginning at seeds.
//
// What can't be said with the rules of one model is split by the values that
// the bits in the way have in the seeds: such a bit is one of a number that
// names something, most of whose values name nothing.
func Learn(ctx context.Context, cfg Config, ask Asker, seeds []Vec) ([]*Model, error) {
	return learn(ctx, cfg, ask, seeds, &answers{by: map[Vec]Out{}}, 0)
}

func learn(ctx context.Context, cfg Config, ask Asker, seeds []Vec, cache *answers, depth int) ([]*Model, error) {
	l := &learner{ctx: ctx, cfg: cfg, ask0: ask, cache: cache, rng: rand.New(rand.NewPCG(cfg.Seed, 1)),
		sorted: map[string]*sorted{}, fixed: map[int]bool{}, extra: map[string]map[int]map[int]bool{}, keyed: map[int]bool{}, bad: map[int]int{}}
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
	l.findSlots(seeds)
	l.kinds(seeds)
	l.seeds = seeds
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
	if l.open() > 0 && len(l.seen) > 1 && depth < 3 {
		return l.split(l.sparse, seeds, depth)
	}
	if blocking := l.blockingBits(wrong); len(blocking) > 0 && depth < 3 {
		return l.split(blocking, seeds, depth)
	}
	l.close()
	return []*Model{l.model}, l.err
}

// tangled reports whether many output bits have no rule.
func (l *learner) tangled() bool { return l.open() > 3 }

func (l *learner) open() int {
	n := 0
	for _, va := range l.model.Variants {
		n += len(va.Open)
	}
	return n
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
		if _, ok := l.cache.by[v]; !ok && !asked[v] {
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
			l.cache.by[v] = got[i]
			if got[i].Sig != "" {
				l.cache.order = append(l.cache.order, v)
			}
		}
	}
	for i, v := range in {
		out[i] = l.cache.by[v]
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
	l.findKeyed()
	own := l.ownKey()
	key := append(slices.Clone(own), l.sparse...)
	slices.Sort(key)
	m := l.model
	m.Key, m.Select, m.Variants = key, map[uint64]int{}, nil
	var in []Vec
	if seen := l.kindsSeen(); len(own) <= maxKey && len(seen)<<len(own) <= maxStructures {
		in = l.everyKey(own, seen)
	} else {
		in = l.keysOfBases(own, key, seen)
	}
	// Some kinds go only with modifiers that the bases don't have.
	for _, v := range l.seeds {
		if l.inDomain(v) {
			in = append(in, v)
		}
	}
	l.selectBy(key, in)
}

// findKeyed flips the bits of the bases, and notes those that change the structure and
// those of which there is no answer.
func (l *learner) findKeyed() {
	for n, b := range l.bases {
		// What has no answer in the first two is not asked of the others.
		switch n {
		case 0, 1:
			l.askFlips(l.bases[n:n+1], nil)
		case 2:
			l.askFlips(l.bases[2:], nil)
		}
		at := l.flips(b)
		in := make([]Vec, len(at))
		for k, i := range at {
			in[k] = b.Flip(i)
		}
		sig := l.one(b).Sig
		for k, o := range l.ask(in) {
			switch {
			case o.Costly:
				l.bad[at[k]] += 100
			case o.Sig == "":
				l.bad[at[k]] += 2
			default:
				l.bad[at[k]]--
				if o.Sig != sig {
					l.keyed[at[k]] = true
				}
			}
		}
	}
}

// ownKey returns the bits that choose the structure but those of operands, whose kinds
// are known.
func (l *learner) ownKey() []int {
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
	return l.gather(key)
}

// kindsSeen returns the kinds of operands that were seen, at least none of them.
func (l *learner) kindsSeen() []Vec {
	if len(l.seen) == 0 {
		return []Vec{{}}
	}
	return l.seen
}

// everyKey returns inputs with each value of the key and each of the kinds.
func (l *learner) everyKey(own []int, seen []Vec) (in []Vec) {
	rows := min(rowsPerKey(len(own)), len(l.bases))
	for n, kind := range seen {
		for x := range uint64(1) << len(own) {
			for k := range rows {
				in = append(in, l.put(l.give(l.bases[(k*7+int(x)+n)%len(l.bases)], kind), own, x))
			}
		}
	}
	return in
}

// keysOfBases returns the bases with each other's keys and their neighbours', where there
// are too many to try.
func (l *learner) keysOfBases(own, key []int, seen []Vec) (in []Vec) {
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
	return in
}

// selectBy asks about inputs: each structure is a variant, selected by the key.
func (l *learner) selectBy(key []int, in []Vec) {
	m := l.model
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
	var more []Vec
	for range 8 {
		if len(keys) > 0 {
			x := keys[l.rng.IntN(len(keys))]
			more = append(more, l.put(l.bases[l.rng.IntN(len(l.bases))], l.model.Key, x))
		}
	}
	l.ask(more)
	for _, v := range more {
		if len(out) < maxBases+3 {
			add(v)
		}
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
