package fit

import (
	"slices"
	"testing"
)

// Bits and fields of a vector, over the bounds of its elements too.
func TestVec(t *testing.T) {
	var bytes [32]byte
	for i := range bytes {
		bytes[i] = byte(7*i + 1)
	}
	v := FromBytes(bytes[:])
	if !slices.Equal(v.Bytes(32), bytes[:]) || !slices.Equal(v.Bytes(5), bytes[:5]) || FromBytes(bytes[:9]) != (Vec{v[0], uint64(bytes[8])}) {
		t.Errorf("% x", v.Bytes(32))
	}
	bit := func(i int) uint64 { return uint64(bytes[i/8] >> (i % 8) & 1) }
	for i := range 256 {
		if v.Bit(i) != bit(i) || v.Flip(i).Bit(i) != 1-bit(i) || !slices.Equal(v.Differ(v.Flip(i)), []int{i}) || v.With(i, 1).Bit(i) != 1 || v.With(i, 2).Bit(i) != 0 || v.With(i, bit(i)) != v {
			t.Fatalf("bit %d", i)
		}
		for _, n := range []int{1, 5, 10, 63, 64} {
			if i+n > 256 {
				continue
			}
			want := uint64(0)
			for k := range n {
				want |= bit(i+k) << k
			}
			if got := v.Field(i, n); got != want {
				t.Fatalf("%d bits from %d: %#x, want %#x", n, i, got, want)
			}
			if v.WithField(i, n, want) != v || v.WithField(i, n, ^want).Field(i, n) != ^want&(1<<(n-1)<<1-1) {
				t.Fatalf("%d bits from %d, set", n, i)
			}
		}
	}
	at := []int{200, 3, 64}
	if x := v.Pick(at); x != bit(200)|bit(3)<<1|bit(64)<<2 || v.Put(at, x) != v || (Vec{}).Put(at, 5) != (Vec{}).Flip(200).Flip(64) {
		t.Errorf("%#x", x)
	}
	o := Out{Sig: "a", Bits: []uint64{1, 2}}
	for _, c := range []struct {
		p    Out
		want bool
	}{{Out{Sig: "a", Bits: []uint64{1, 2}}, true}, {Out{Sig: "b", Bits: []uint64{1, 2}}, false}, {Out{Sig: "a", Bits: []uint64{1}}, false}, {Out{Sig: "a", Bits: []uint64{1, 3}}, false}, {Out{Sig: "a", Bits: []uint64{1, 2}, Costly: true}, true}} {
		if len(c.p.Bits) < 2 {
			if c.p.equal(o) {
				t.Errorf("%+v equals %+v", c.p, o)
			}
		} else if o.equal(c.p) != c.want {
			t.Errorf("%+v", c.p)
		}
	}
	if o.Bit(0) != 1 || o.Bit(64) != 0 || o.Bit(65) != 1 {
		t.Errorf("%+v", o)
	}
}

// What a slot may hold: a register or RZ, a predicate or PT.
func TestSlotHolds(t *testing.T) {
	for x := range uint64(1024) {
		if (Slot{Width: 10}).Holds(x) != (x <= 254 || x == 1023) {
			t.Errorf("register %d", x)
		}
		if x < 32 && (Slot{Width: 5}).Holds(x) != (x <= 6 || x == 31) {
			t.Errorf("predicate %d", x)
		}
	}
}

// Every kind of rule, and every reason why an output isn't known.
func TestPredict(t *testing.T) {
	m := &Model{Slots: []Slot{{At: 40, Width: 10}, {At: 52, Width: 5}}, Locked: []Lock{{At: 60, Value: 1}}, Key: []int{70, 71}, Select: map[uint64]int{0: 0, 2: 1},
		Variants: []*Variant{{Sig: "v", Rules: []Rule{
			{Kind: Const, Dst: 0, Add: 1}, {Kind: Bits, Dst: 2, Src: 80}, {Kind: Not, Dst: 3, Src: 81}, {Kind: Sum, Dst: 60, Width: 8, Src: 88, Add: 0xf0}, {Kind: Table, Dst: 4, Key: []int{96, 97}, Rows: map[uint64]uint64{0: 1, 3: 0}},
			{Kind: Sum, Dst: 68, Width: 4, Src: 88, Key: []int{98}, Rows: map[uint64]uint64{0: 2}},
		}}, {Sig: "o", Open: []int{1}}}}
	base := Vec{}.Flip(60)
	for _, c := range []struct {
		what string
		v    Vec
		why  string
		bits []uint64
	}{
		{"all zero", base, "", []uint64{1 | 1<<3 | 1<<4, 0xf | 2<<4}},
		{"bits", base.Flip(80).Flip(81), "", []uint64{1 | 1<<2 | 1<<4, 0xf | 2<<4}},
		{"a sum past its width", base.WithField(88, 8, 0x35), "", []uint64{1 | 1<<3 | 1<<4 | 5<<60, 2 | 7<<4}},
		{"another row", base.WithField(96, 2, 3), "", []uint64{1 | 1<<3, 0xf | 2<<4}},
		{"no such row", base.WithField(96, 2, 1), "row", nil}, {"no such row of a sum", base.Flip(98), "row", nil},
		{"no register", base.WithField(40, 10, 255), "operand", nil}, {"no predicate", base.WithField(52, 5, 7), "operand", nil},
		{"another value", base.Flip(60), "locked", nil}, {"no such structure", base.Flip(70), "structure", nil}, {"what has no rule", base.Flip(71), "open", nil},
	} {
		o, why := m.Predict(c.v)
		if why != c.why || !slices.Equal(o.Bits, c.bits) || (o.Sig == "v") != (why == "") {
			t.Errorf("%s: %+v, %q; want %#x, %q", c.what, o, why, c.bits, c.why)
		}
	}
	if _, ok := (&Rule{Kind: 99}).value(base); ok {
		t.Error("a kind that isn't one")
	}
	wide := Rule{Kind: Sum, Width: 64, Add: 1}
	if x, ok := wide.value(Vec{1<<64 - 1}); !ok || x != 0 {
		t.Errorf("%#x, %v", x, ok)
	}
}
