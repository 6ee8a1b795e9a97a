package learn

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury/internal/fit"
)

// word is the bytes of a word.
func word(lo, hi uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lo), hi)
}

// What surroundings add to the words of a node is no part of it: hazards in front, a pair after, a fence ahead of a
// fence. The schedule isn't either.
func TestOut(t *testing.T) {
	var (
		plain  = word(0x7224|5<<16, 1<<45|7)
		hazard = word(0xfffff984, 1<<41)
		s2r    = word(0x73c6, 0)
		pushed = word(0x79b1, 0)
		guard  = word(0x75b2, 3)
		fence  = word(0x992|1<<12, 0)
		ahead  = word(0x992, 0x8000)
		none   = word(0, 1<<41)
	)
	for _, test := range []struct {
		words [][]byte
		want  string
	}{
		{[][]byte{plain}, "224"},
		{[][]byte{hazard, plain}, "224"},
		{[][]byte{hazard, hazard, plain}, "224"},
		{[][]byte{hazard}, "984"},
		{[][]byte{plain, hazard}, "224 984"},
		{[][]byte{plain, s2r, pushed}, "224"},
		{[][]byte{s2r, pushed}, "3c6 9b1"},
		{[][]byte{plain, pushed, s2r}, "224 9b1 3c6"},
		{[][]byte{s2r, guard}, "5b2"},
		{[][]byte{plain, s2r, guard}, "224 3c6 5b2"},
		{[][]byte{guard, s2r}, "5b2 3c6"},
		{[][]byte{ahead, fence}, "992"},
		{[][]byte{fence, ahead}, "992 992"},
		{[][]byte{ahead, plain}, "992 224"},
		{[][]byte{ahead}, "992"},
		{[][]byte{none}, ""},
		{[][]byte{plain, none}, ""},
		{nil, ""},
		{[][]byte{plain[:15]}, ""},
	} {
		got := Out(slices.Concat(test.words...))
		if got.Sig != test.want || test.want != "" && len(got.Bits) != 2*len(strings.Fields(test.want)) || test.want == "" && len(got.Bits) != 0 {
			t.Errorf("%x: %q %x, want %q", test.words, got.Sig, got.Bits, test.want)
		}
	}
	if got := Out(plain); !slices.Equal(got.Bits, []uint64{0x7224 | 5<<16, 7}) {
		t.Errorf("%x", got.Bits)
	}
	if got := Bare(string(plain) + "more"); got != string(word(0x7224|5<<16, 7)) {
		t.Errorf("%x", got)
	}
}

// Bits that nothing depends on, and that are one value in all samples, are locked; immediates aren't.
func TestLock(t *testing.T) {
	record := func(bits ...int) []byte {
		v := fit.Vec{}
		for _, b := range bits {
			v = v.Flip(b)
		}
		return v.Bytes(32)
	}
	samples := []Sample{{Record: record(40, 50, 191, 192)}, {Record: record(40, 60, 191, 192)}, {Record: record(40, 191, 192)}}
	m := &fit.Model{Dead: []int{192, 191, 40, 41, 50, 60}, Locked: []fit.Lock{{At: 100, Value: 1}}}
	lock([]*fit.Model{m}, samples)
	want := []fit.Lock{{At: 40, Value: 1}, {At: 41}, {At: 100, Value: 1}, {At: 191, Value: 1}}
	if !slices.Equal(m.Locked, want) {
		t.Errorf("%v, want %v", m.Locked, want)
	}
}

// Records of the SM are first, each once, at most 700.
func TestSeeds(t *testing.T) {
	sample := func(sm int, n uint64) Sample {
		return Sample{SM: sm, Record: fit.Vec{n}.Bytes(16)}
	}
	list := []Sample{sample(103, 1), sample(100, 2), sample(103, 2), sample(100, 3), sample(100, 2), sample(103, 4)}
	var got []uint64
	for _, v := range seeds(list, 100) {
		got = append(got, v[0])
	}
	if want := []uint64{2, 3, 1, 4}; !slices.Equal(got, want) {
		t.Errorf("%d, want %d", got, want)
	}
	list = nil
	for n := range uint64(800) {
		list = append(list, sample(100, n))
	}
	if got := seeds(list, 100); len(got) != 700 || got[699] != (fit.Vec{699}) {
		t.Errorf("%d", len(got))
	}
}

// What ptxas wrote decides which bits of a sequence are free: those of registers in which it has others. A single word
// has none, nor has what is no register; samples of another SM, or of other opcodes, say nothing.
func TestFreeBits(t *testing.T) {
	rules := func(n int) (list []fit.Rule) {
		list = append(list, fit.Rule{Kind: fit.Const, Dst: 2, Add: 1})
		return append(list, fit.Rule{Kind: fit.Const, Dst: 64*n - 1})
	}
	two := &fit.Model{Select: map[uint64]int{0: 0}, Variants: []*fit.Variant{{Sig: "004 004", Rules: append(rules(4), fit.Rule{Kind: fit.Const, Dst: 130, Add: 1})}}}
	one := &fit.Model{Select: map[uint64]int{0: 0}, Variants: []*fit.Variant{{Sig: "004", Rules: rules(2)}}}
	record := make([]byte, 16)
	second := func(lo, hi uint64) []byte { return slices.Concat(word(4, 0), word(4|lo, hi)) }
	for name, test := range map[string]struct {
		model *fit.Model
		s     Sample
		free  []int
		trace string
	}{
		"the same":        {two, Sample{100, record, second(0, 0)}, nil, ""},
		"a register":      {two, Sample{100, record, second(1<<17, 0)}, []int{144, 145, 146, 147, 148, 149, 150, 151}, "free in 004 004: 8"},
		"the last one":    {two, Sample{100, record, second(0, 1<<7)}, []int{192, 193, 194, 195, 196, 197, 198, 199}, "free in 004 004: 8"},
		"no register":     {two, Sample{100, record, second(1<<40, 0)}, nil, "ptxas writes bit 168 of 00000000000000000000000000000000 differently"},
		"below registers": {two, Sample{100, record, second(1<<15, 0)}, nil, "ptxas writes bit 143 of 00000000000000000000000000000000 differently"},
		"behind the last": {two, Sample{100, record, second(0, 1<<8)}, nil, "ptxas writes bit 200 of 00000000000000000000000000000000 differently"},
		"another SM":      {two, Sample{103, record, second(1<<17, 0)}, nil, ""},
		"other opcodes":   {two, Sample{100, record, second(1, 0)}, nil, "ptxas has 004 005 for 00000000000000000000000000000000, nvlink 004 004"},
		"a single word":   {one, Sample{100, record, word(4|1<<17, 0)}, nil, "ptxas writes bit 17 of 00000000000000000000000000000000 differently"},
	} {
		var traced []string
		got := freeBits([]*fit.Model{test.model}, []Sample{test.s}, []int{100, 120}, func(f string, a ...any) { traced = append(traced, fmt.Sprintf(f, a...)) })
		var list []int
		for b := range got[test.model.Variants[0].Sig] {
			list = append(list, b)
		}
		slices.Sort(list)
		if !slices.Equal(list, test.free) || strings.Join(traced, "; ") != test.trace {
			t.Errorf("%s: %v %q, want %v %q", name, list, traced, test.free, test.trace)
		}
	}
}

// Of many words those come first that differ in more than registers and the schedule; as many as learning begins with.
func TestSpread(t *testing.T) {
	few := [][]byte{word(1, 2), word(1, 2)}
	if got := spread(few); len(got) != 2 {
		t.Errorf("%x", got)
	}
	var many [][]byte
	for n := range uint64(50) {
		many = append(many, word(0x301|n<<16, 1<<45|n)) // registers alone
	}
	many = append(many, word(0x1301, 0), word(0x301, 0x100))
	got := spread(many)
	if len(got) != perOpcode || !slices.Equal(got[0], many[0]) || !slices.Equal(got[1], many[50]) || !slices.Equal(got[2], many[51]) || !slices.Equal(got[3], many[1]) {
		t.Errorf("%d words, the first %x", len(got), got[:4])
	}
}

// The lines of the table, one of each kind, as mercury.Parse describes them.
func TestWrite(t *testing.T) {
	v := &fit.Variant{Sig: "abc", Size: 2, Samples: 20, Rules: []fit.Rule{
		{Kind: fit.Const, Dst: 3, Add: 1}, {Kind: fit.Const, Dst: 70, Add: 1}, {Kind: fit.Const, Dst: 16, Add: 1},
		{Kind: fit.Bits, Dst: 32, Src: 86}, {Kind: fit.Bits, Dst: 33, Src: 87}, {Kind: fit.Bits, Dst: 34, Src: 89}, {Kind: fit.Not, Dst: 35, Src: 90},
		{Kind: fit.Sum, Dst: 40, Width: 4, Src: 224, Add: 0x1f}, {Kind: fit.Sum, Dst: 44, Width: 4, Src: 228, Key: []int{40, 41}, Rows: map[uint64]uint64{1: 2, 0: 0x10}},
		{Kind: fit.Table, Dst: 50, Key: []int{7, 9}, Rows: map[uint64]uint64{0: 1, 3: 0}}, {Kind: fit.Table, Dst: 51, Key: []int{7, 9}, Rows: map[uint64]uint64{0: 1, 3: 1}},
		{Kind: fit.Table, Dst: 52, Key: []int{7}, Rows: map[uint64]uint64{0: 1, 1: 0}},
		{Kind: fit.Bits, Dst: 63, Src: 100}, {Kind: fit.Bits, Dst: 64, Src: 101},
	}}
	few := &fit.Variant{Sig: "few", Size: 2, Samples: 19}
	open := &fit.Variant{Sig: "open", Size: 2, Samples: 200, Open: []int{1}}
	m := &fit.Model{Slots: []fit.Slot{{At: 35, Width: 5}, {At: 86, Width: 10}}, Locked: []fit.Lock{{At: 40, Value: 1}, {At: 41}, {At: 42, Value: 1}, {At: 50}},
		Key: []int{96, 98}, Select: map[uint64]int{0: 0, 3: 0, 1: 1, 2: 2}, Variants: []*fit.Variant{v, few, open}}
	got := Write(0x12, []int{100, 120}, "13.5", []*fit.Model{m}, map[string]bitSet{"abc": {16: true, 17: true, 19: true, 33: true}})
	want := "form\t00000012\t100,120\t13.5\nmodel\t35+5 86+10\t40+3=5 50+1=0\nkey\t96,98\nshape\tabc\t0 3\t20\n" +
		"const\t00000000000000400000000000000008\nfree\t16+2\nfree\t19+1\nfree\t33+1\nbit\t32+1\t86\nbit\t34+1\t89\nnot\t35+1\t90\n" +
		"sum\t40+4\t224\t1f\nsum\t44+4\t228\t40,41\t0=10 1=2\nbit\t63+1\t100\nbit\t64+1\t101\ntable\t50,51\t7,9\t0=3 3=2\ntable\t52\t7\t0=1 1=0\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	m.Key, m.Slots, m.Locked = nil, nil, nil
	v.Rules = v.Rules[3:5]
	if got, want := WritePlain(0x301, []int{100}, "13.5", []*fit.Model{m}), "plain\t301\t100\t13.5\nmodel\t\t\nshape\tabc\t0 3\t20\nconst\t00000000000000000000000000000000\nbit\t32+2\t86\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
