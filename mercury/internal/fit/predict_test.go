package fit

import (
	"slices"
	"testing"
)

// Every kind of rule, and every reason why an output isn't known.
func TestPredictions(t *testing.T) {
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
