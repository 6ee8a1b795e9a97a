package fit

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// number is a vector as one number.
func number(v Vec) *big.Int {
	n := new(big.Int)
	for k := 3; k >= 0; k-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(v[k]))
	}
	return n
}

// Bits, fields, keys and bytes of a vector are those of the number that it is.
func TestVec(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		v := Vec{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		n := number(v)
		i := r.IntN(256)
		if v.Bit(i) != uint64(n.Bit(i)) {
			t.Fatalf("bit %d of %x", i, v)
		}
		if got, want := number(v.Flip(i)), new(big.Int).SetBit(n, i, 1-n.Bit(i)); got.Cmp(want) != 0 {
			t.Fatalf("bit %d of %x inverted", i, v)
		}
		for b := range uint64(4) {
			if got, want := number(v.With(i, b)), new(big.Int).SetBit(n, i, uint(b&1)); got.Cmp(want) != 0 {
				t.Fatalf("bit %d of %x with %d", i, v, b)
			}
		}
		at, width := r.IntN(256), 1+r.IntN(64)
		width = min(width, 256-at)
		field := new(big.Int).Rsh(n, uint(at))
		field.And(field, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
		if v.Field(at, width) != field.Uint64() {
			t.Fatalf("%d+%d of %x is %x, want %x", at, width, v, v.Field(at, width), field)
		}
		x := r.Uint64()
		w := v.WithField(at, width, x)
		if w.Field(at, width) != x&(1<<width-1) || width == 64 && w.Field(at, 64) != x {
			t.Fatalf("%d+%d of %x set to %x: %x", at, width, v, x, w)
		}
		for _, d := range v.Differ(w) {
			if d < at || d >= at+width || v.Bit(d) == w.Bit(d) {
				t.Fatalf("%d+%d set: bit %d is other", at, width, d)
			}
		}
		diff := new(big.Int).Xor(n, number(w))
		ones := 0
		for k := range 256 {
			ones += int(diff.Bit(k))
		}
		if ones != len(v.Differ(w)) || !slices.IsSorted(v.Differ(w)) {
			t.Fatalf("%x and %x differ in %v", v, w, v.Differ(w))
		}
		key := r.Perm(256)[:8]
		var picked uint64
		for k, i := range key {
			picked |= uint64(n.Bit(i)) << k
		}
		if v.Pick(key) != picked || v.Put(key, x).Pick(key) != x&255 {
			t.Fatalf("%v of %x: %x", key, v, v.Pick(key))
		}
		if b := v.Bytes(32); FromBytes(b) != v || FromBytes(b[:16]) != (Vec{v[0], v[1]}) {
			t.Fatalf("%x as bytes: %x", v, b)
		}
	}
	if got := (Vec{0, 0, 0, 1 << 63}).Field(255, 1); got != 1 {
		t.Errorf("the last bit: %d", got)
	}
}

// What is an answer's own: bits and equality.
func TestOutsDiffer(t *testing.T) {
	a := Out{Sig: "a", Bits: []uint64{1 << 63, 2}}
	if a.Bit(63) != 1 || a.Bit(62) != 0 || a.Bit(65) != 1 || a.Bit(64) != 0 {
		t.Error("bits")
	}
	for _, test := range []struct {
		b    Out
		want bool
	}{{Out{Sig: "a", Bits: []uint64{1 << 63, 2}}, true}, {Out{Sig: "b", Bits: a.Bits}, false}, {Out{Sig: "a", Bits: []uint64{1 << 63}}, false}, {Out{Sig: "a", Bits: []uint64{1 << 63, 3}}, false}, {Out{Sig: "a", Bits: []uint64{0, 2}}, false}} {
		if a.equal(test.b) != test.want {
			t.Errorf("%v", test.b)
		}
	}
	if got := a.differ(Out{Bits: []uint64{0, 1}}); !slices.Equal(got, []int{63, 64, 65}) {
		t.Errorf("%v", got)
	}
}

// Operands hold registers 0 to 254 and RZ, predicates 0 to 6 and PT.
func TestHolds(t *testing.T) {
	for x := range uint64(1024) {
		if got, want := (Slot{86, 10}).Holds(x), x < 255 || x == 1023; got != want {
			t.Errorf("register %d", x)
		}
		if got, want := (Slot{35, 5}).Holds(x), x < 7 || x == 31; x < 32 && got != want {
			t.Errorf("predicate %d", x)
		}
	}
}

// A table of which bits decide nothing becomes smaller, and one of a single bit is that bit or its inverse.
func TestShrink(t *testing.T) {
	rows := func(f func(a, b, c uint64) uint64) map[uint64]uint64 {
		m := map[uint64]uint64{}
		for x := range uint64(8) {
			m[x] = f(x&1, x>>1&1, x>>2)
		}
		return m
	}
	for _, test := range []struct {
		name string
		f    func(a, b, c uint64) uint64
		want Rule
	}{
		{"constant", func(a, b, c uint64) uint64 { return 1 }, Rule{Kind: Const, Dst: 5, Add: 1}},
		{"first", func(a, b, c uint64) uint64 { return a }, Rule{Kind: Bits, Dst: 5, Src: 10}},
		{"last", func(a, b, c uint64) uint64 { return c }, Rule{Kind: Bits, Dst: 5, Src: 30}},
		{"inverse", func(a, b, c uint64) uint64 { return 1 - b }, Rule{Kind: Not, Dst: 5, Src: 20}},
		{"two", func(a, b, c uint64) uint64 { return a & c }, Rule{Kind: Table, Dst: 5, Key: []int{10, 30}, Rows: map[uint64]uint64{0: 0, 1: 0, 2: 0, 3: 1}}},
		{"three", func(a, b, c uint64) uint64 { return a ^ b ^ c }, Rule{Kind: Table, Dst: 5, Key: []int{10, 20, 30}, Rows: rows(func(a, b, c uint64) uint64 { return a ^ b ^ c })}},
	} {
		if got := shrink(Rule{Kind: Table, Dst: 5, Key: []int{10, 20, 30}, Rows: rows(test.f)}); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	one := Rule{Kind: Table, Dst: 5, Key: []int{10}, Rows: map[uint64]uint64{1: 1}}
	if got := shrink(one); got.Kind != Const || got.Add != 1 {
		t.Errorf("one row: %v", got)
	}
}

// newLearner is a learner of made-up answers.
func newLearner(cfg Config) *learner {
	cfg.Trace = func(string, ...any) {}
	return &learner{cfg: cfg, ask0: machine, cache: &answers{by: map[Vec]Out{}}, rng: rand.New(rand.NewPCG(1, 1)), sorted: map[string]*sorted{}, fixed: map[int]bool{}, bad: map[int]int{},
		extra: map[string]map[int]map[int]bool{}, keyed: map[int]bool{}, model: &Model{}}
}

// A whole field has a bit of its own after the word: it is one where all of the field's are.
func TestWholeFields(t *testing.T) {
	whole := []Slot{{16, 8}, {12, 3}}
	l := newLearner(Config{First: 12, Bits: 105, Whole: whole})
	v := Vec{}.WithField(16, 8, 255).WithField(12, 3, 6)
	if got := Normal(whole, v.Flip(129)); got != v.Flip(128) {
		t.Errorf("%x", got)
	}
	if got := l.put(v, []int{50, 129}, 3); got != v.Flip(50).WithField(12, 3, 7).Flip(128).Flip(129) {
		t.Errorf("all ones: %x", got)
	}
	if got := l.put(v, []int{128}, 0); got != v.WithField(16, 8, 2) {
		t.Errorf("another value: %x", got)
	}
	if got := l.put(v, []int{129}, 0); got != v.Flip(128) {
		t.Errorf("it has another: %x", got)
	}
	if got := l.gather([]int{50, 23, 22, 21, 20, 19, 18, 17, 16, 12, 13, 50}); !slices.Equal(got, []int{12, 13, 50, 128}) {
		t.Errorf("%v", got)
	}
	if got := l.gather([]int{24, 14, 13, 12, 11}); !slices.Equal(got, []int{11, 24, 129}) {
		t.Errorf("%v", got)
	}
	samples := func(bits ...uint64) (list []sample) {
		for i, b := range bits {
			list = append(list, sample{Vec{}.With(129, uint64(i&1)), Out{Bits: []uint64{b}}})
		}
		return list
	}
	for _, test := range []struct {
		all  []sample
		want bool
	}{{samples(0, 1, 0), true}, {samples(0, 1, 1), false}, {samples(0), false}, {samples(0, 1)[1:], false}, {nil, false}} {
		r, ok := l.whole(0, test.all)
		if ok != test.want || ok && (r.Kind != Bits || r.Src != 129 || r.Dst != 0) {
			t.Errorf("%v: %v %t", test.all, r, ok)
		}
	}
}

// What turns one input into another: bits, operands whole, and the kinds of operands all together.
func TestSteps(t *testing.T) {
	l := newLearner(Config{First: 32, Bits: 200})
	l.model.Slots, l.sparse = []Slot{{86, 10}, {35, 5}}, []int{96, 98}
	v := Vec{}
	w := v.Flip(50).Flip(87).Flip(88).Flip(98).Flip(96).Flip(36).Flip(210).Flip(97)
	got := l.steps(v, w)
	want := [][]int{{35, 36, 37, 38, 39}, {50}, {86, 87, 88, 89, 90, 91, 92, 93, 94, 95}, {96, 98}, {97}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := l.give(v, w); got != v.Flip(96).Flip(98) {
		t.Errorf("%x", got)
	}
	for bit, want := range map[int]int{85: -1, 86: 86, 95: 86, 96: -1, 34: -1, 35: 35, 39: 35, 40: -1} {
		s := l.slotAt(bit)
		if (s == nil) != (want < 0) || s != nil && s.At != want {
			t.Errorf("bit %d: %v", bit, s)
		}
	}
}

// A field that is an input's and a number, which a key may choose, is found; a constant difference over too few values isn't.
func TestSumOf(t *testing.T) {
	l := newLearner(Config{First: 0, Bits: 256})
	var plain, keyed, few []sample
	for x := range uint64(64) {
		in := Vec{}.WithField(10, 8, x*5).With(60, x&1).With(61, x>>1&1)
		plain = append(plain, sample{in, Out{Bits: []uint64{(x*5 + 0x33) & 255 << 4}}})
		keyed = append(keyed, sample{in, Out{Bits: []uint64{(x*5 + 7 + x&1) & 255 << 4}}})
		few = append(few, sample{in.WithField(10, 8, x%7), Out{Bits: []uint64{x % 7 << 4}}})
	}
	f := field{10, 8}
	if r, ok := l.sumOf(f, 4, []int{60, 61}, plain); !ok || r.Kind != Sum || r.Dst != 4 || r.Width != 8 || r.Src != 10 || r.Add != 0x33 || len(r.Key) > 0 {
		t.Errorf("%v %t", r, ok)
	}
	if r, ok := l.sumOf(f, 4, []int{60, 61}, keyed); !ok || r.Kind != Sum || !slices.Equal(r.Key, []int{60}) || len(r.Rows) != 2 || r.Rows[0] != 7 || r.Rows[1] != 8 {
		t.Errorf("%v %t", r, ok)
	}
	if r, ok := l.sumOf(f, 4, nil, keyed); ok {
		t.Errorf("without the key: %v", r)
	}
	if r, ok := l.sumOf(f, 4, nil, few); ok {
		t.Errorf("of seven values: %v", r)
	}
	if r, ok := l.sumOf(f, 4, make([]int, 33), plain); ok {
		t.Errorf("with a key of 33 bits: %v", r)
	}
	union := map[int]bool{5: true, 60: true, 10: true, 17: true, 18: true}
	if got := l.sumKey(f, union); !slices.Equal(got, []int{5, 18, 60}) {
		t.Errorf("%v", got)
	}
	l.seen, l.sparse = make([]Vec, 2), []int{60, 70}
	if got := l.sumKey(f, union); !slices.Equal(got, []int{5, 18, 60, 70}) {
		t.Errorf("%v", got)
	}
}

// A constant, a bit and its inverse are told on all samples.
func TestSimple(t *testing.T) {
	all := []sample{{Vec{0}, Out{Bits: []uint64{0b110}}}, {Vec{1}, Out{Bits: []uint64{0b101}}}, {Vec{0}, Out{Bits: []uint64{0b110}}}}
	on := func(bits ...int) map[int]bool {
		m := map[int]bool{}
		for _, b := range bits {
			m[b] = true
		}
		return m
	}
	for _, test := range []struct {
		s    int
		deps map[int]bool
		want string
	}{
		{2, nil, fmt.Sprint(Rule{Kind: Const, Dst: 2, Add: 1})}, {3, nil, fmt.Sprint(Rule{Kind: Const, Dst: 3})}, {0, nil, ""},
		{0, on(0), fmt.Sprint(Rule{Kind: Bits, Dst: 0, Src: 0})}, {1, on(0), fmt.Sprint(Rule{Kind: Not, Dst: 1, Src: 0})},
		{1, on(5), ""}, {0, on(0, 1), ""},
	} {
		r, ok := simple(test.s, test.deps, all)
		if ok != (test.want != "") || ok && fmt.Sprint(r) != test.want {
			t.Errorf("bit %d of %v: %v %t, want %s", test.s, test.deps, r, ok, test.want)
		}
	}
}

// Inputs that vary in nothing are locked, and those that no rule asks for are dead.
func TestCloseInputs(t *testing.T) {
	l := newLearner(Config{First: 32, Bits: 40})
	l.model.Slots = []Slot{{35, 5}}
	l.bases = []Vec{{}}
	for _, v := range []Vec{{1 << 33}, {1<<33 | 1<<32}, {1<<33 | 1<<34}, {1<<33 | 8<<35}} {
		l.cache.by[v] = Out{Sig: "s"}
		l.cache.order = append(l.cache.order, v)
	}
	l.model.Variants = []*Variant{{Rules: []Rule{{Kind: Bits, Src: 32}}}}
	l.closeInputs()
	if !slices.Equal(l.model.Locked, []Lock{{33, 1}}) || !slices.Equal(l.model.Dead, []int{34}) {
		t.Errorf("%v %v", l.model.Locked, l.model.Dead)
	}
	m := &Model{Key: []int{1}, Variants: []*Variant{{Rules: []Rule{{Kind: Sum, Src: 10, Width: 2, Key: []int{20}}, {Kind: Table, Src: 30, Key: []int{40}}, {Kind: Not, Src: 50}, {Kind: Const, Src: 60}}}}}
	used := m.usedBits()
	for _, b := range []int{1, 10, 11, 20, 40, 50} {
		if !used[b] {
			t.Errorf("bit %d isn't used", b)
		}
	}
	if len(used) != 6 {
		t.Errorf("%v", used)
	}
}

// The bits that are in the way of rules: those on which a quarter of the bits without a rule depend; where there is none,
// those that chose the structure.
func TestHub(t *testing.T) {
	l := newLearner(Config{First: 32, Bits: 256})
	l.model.Slots, l.fixed[60] = []Slot{{86, 10}}, true
	on := func(bits ...int) map[int]bool {
		m := map[int]bool{}
		for _, b := range bits {
			m[b] = true
		}
		return m
	}
	l.model.Variants = []*Variant{{Sig: "s", Open: []int{0, 1, 2, 3, 4}}}
	l.deps = map[string]map[int]map[int]bool{"s": {0: on(40, 41, 60, 86, 192), 1: on(40, 60, 86, 192), 2: on(191), 3: on(191), 4: on(42)}}
	l.extra["s"] = map[int]map[int]bool{4: on(42, 43), 3: on(43)}
	if got := l.blockingBits(0); !slices.Equal(got, []int{40, 43, 191}) {
		t.Errorf("%v", got)
	}
	l.model.Variants, l.deps = nil, nil
	l.keyed = on(33, 60, 87)
	l.extra = map[string]map[int]map[int]bool{"s": {1: on(33, 44, 60, 88)}}
	if got := l.blockingBits(0); len(got) != 0 {
		t.Errorf("nothing wrong: %v", got)
	}
	if got := l.blockingBits(1); !slices.Equal(got, []int{33, 44}) {
		t.Errorf("%v", got)
	}
	for i := range maxHub {
		l.keyed[100+i] = true
	}
	if got := l.blockingBits(1); got != nil {
		t.Errorf("too many: %v", got)
	}
}

// What answers is asked once, and in what order it was is kept; an answer too few is an error, which stays.
func TestAskOnce(t *testing.T) {
	l := newLearner(Config{First: 32, Bits: 256})
	asked := 0
	l.ask0 = counted(&asked)
	a, b, none := seed(3), seed(9), seed(4)
	out := l.ask([]Vec{a, b, a, none})
	if asked != 3 || len(out) != 4 || !out[0].equal(out[2]) || out[3].Sig != "" || !slices.Equal(l.cache.order, []Vec{a, b}) {
		t.Errorf("%d asked, %v, %v", asked, out, l.cache.order)
	}
	if l.ask([]Vec{none, b}); asked != 3 {
		t.Errorf("%d asked", asked)
	}
	l.ask0 = tooFew
	if out := l.ask([]Vec{seed(5), seed(6)}); l.err == nil || len(out) != 2 || l.err.Error() != "fit: 1 answers to 2 inputs" {
		t.Errorf("%v, %v", out, l.err)
	}
	if out := l.ask([]Vec{a}); out[0].Sig != "" {
		t.Errorf("after an error: %v", out)
	}
}

// counted is the machine, and counts what it is asked.
func counted(n *int) Asker {
	return func(ctx context.Context, in []Vec) ([]Out, error) {
		*n += len(in)
		return machine(ctx, in)
	}
}

func tooFew(ctx context.Context, in []Vec) ([]Out, error) { return machine(ctx, in[1:]) }

// The rules of the made-up machine are found as they are: its operands, its bits, its table, its sum and what chooses the
// structure; bits that it never asks for are dead, and those of which the seeds have one value are locked.
func TestLearnedRules(t *testing.T) {
	models, err := Learn(t.Context(), Config{First: 32, Bits: 256, Slots: true, Seed: 3}, machine, []Vec{seed(3), seed(9), seed(3).Flip(52)})
	if err != nil || len(models) != 1 {
		t.Fatal(len(models), err)
	}
	m := models[0]
	if fmt.Sprint(m.Slots) != "[{35 5} {86 10}]" || !slices.Contains(m.Key, 52) {
		t.Errorf("slots %v, key %v", m.Slots, m.Key)
	}
	for _, v := range m.Variants {
		if v.Sig != "abc" && v.Sig != "abd" || v.Size != 2 || v.Samples == 0 || v.Wrong != 0 || len(v.Open) > 0 {
			t.Errorf("%s of %d: %d samples, %d wrong, open %v", v.Sig, v.Size, v.Samples, v.Wrong, v.Open)
		}
		for _, r := range v.Rules {
			want := fmt.Sprint(Rule{Kind: Const, Dst: r.Dst})
			switch {
			case r.Dst >= 12 && r.Dst < 15:
				want = fmt.Sprint(Rule{Kind: Bits, Dst: r.Dst, Src: r.Dst - 12 + 35})
			case r.Dst == 15:
				want = fmt.Sprint(Rule{Kind: Bits, Dst: 15, Src: 32})
			case r.Dst >= 16 && r.Dst < 24:
				want = fmt.Sprint(Rule{Kind: Bits, Dst: r.Dst, Src: r.Dst - 16 + 86})
			case r.Dst == 24:
				want = fmt.Sprint(Rule{Kind: Not, Dst: 24, Src: 48})
			case r.Dst >= 32 && r.Dst < 36:
				rows := map[uint64]uint64{}
				for x, n := range []uint64{0, 5, 7, 10} {
					rows[uint64(x)] = n >> (r.Dst - 32) & 1
				}
				want = fmt.Sprint(shrink(Rule{Kind: Table, Dst: r.Dst, Key: []int{50, 51}, Rows: rows}))
			case r.Dst >= 40 && r.Dst < 47: // 0x380 leaves the lowest seven bits
				want = fmt.Sprint(Rule{Kind: Bits, Dst: r.Dst, Src: r.Dst - 40 + 224})
			case r.Dst == 47:
				key := r.Key[0]
				want = fmt.Sprint(Rule{Kind: Sum, Dst: 47, Width: 9, Src: 231, Add: r.Add, Key: []int{key}, Rows: map[uint64]uint64{seed(3).Bit(key): 7, seed(9).Bit(key): 0}})
			case r.Dst == 64:
				want = fmt.Sprint(Rule{Kind: Table, Dst: 64, Key: []int{49, 53}, Rows: map[uint64]uint64{0: 0, 1: 0, 2: 0, 3: 1}})
			}
			if got := fmt.Sprint(r); got != want {
				t.Errorf("%s: %s, want %s", v.Sig, got, want)
			}
		}
	}
	for _, v := range m.Proven {
		if p, why := m.Predict(v); why != "" || !p.equal(one(v)) {
			t.Errorf("%x is proven: %s", v, why)
		}
	}
	if len(m.Variants) != 2 || len(m.Proven) < 50 {
		t.Errorf("%d variants, %d proven", len(m.Variants), len(m.Proven))
	}
}

// coder is another machine: an output bit of each value of a number of four bits, most of which mean nothing, depends on its
// own bits.
func coder(_ context.Context, in []Vec) ([]Out, error) {
	out := make([]Out, len(in))
	for i, v := range in {
		lo, name := v.Field(0, 4)<<60, v.Field(40, 4)
		switch name {
		case 5:
			lo |= v.Bit(50) ^ v.Bit(51)&v.Bit(52)
		case 10:
			lo |= v.Bit(53) &^ v.Bit(54)
		default:
			continue
		}
		out[i] = Out{Sig: "c", Bits: []uint64{lo, v.Bit(70)}}
	}
	return out, nil
}

// What one model can't say is split by the values that the bits in the way have in the seeds, and each part says its own.
func TestLearnSplits(t *testing.T) {
	var seeds []Vec
	for _, name := range []uint64{5, 10} {
		seeds = append(seeds, Vec{}.WithField(40, 4, name), Vec{}.WithField(40, 4, name).Flip(50).Flip(53))
	}
	var split bool
	models, err := Learn(t.Context(), Config{First: 32, Bits: 80, Seed: 4, Trace: func(f string, a ...any) { split = split || f == "split by %v: %d values" }}, coder, seeds)
	if err != nil {
		t.Fatal(err)
	}
	if !split || len(models) != 4 {
		t.Errorf("split %t, %d models", split, len(models))
	}
	r := rand.New(rand.NewPCG(8, 8))
	known, reasons := map[uint64]int{}, map[string]int{}
	for range 3000 {
		name := []uint64{5, 10}[r.IntN(2)]
		v := Vec{r.Uint64(), r.Uint64() & (1<<16 - 1)}.WithField(0, 32, 0).WithField(40, 4, name)
		want, _ := coder(t.Context(), []Vec{v})
		for _, m := range models {
			got, why := m.Predict(v)
			reasons[why]++
			if why == "" {
				known[name]++
				if !got.equal(want[0]) {
					t.Fatalf("%x: %v, want %v", v, got, want[0])
				}
				break
			}
		}
	}
	if known[5] < 40 || known[10] < 40 {
		t.Errorf("known %v, %v", known, reasons)
	}
}
