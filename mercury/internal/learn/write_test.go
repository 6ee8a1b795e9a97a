package learn

import (
	"testing"

	"github.com/twinlink/twinlink/mercury/internal/fit"
)

// The lines of a table, for every kind of rule: runs go together, but not over a multiple of 64.
func TestWriteTable(t *testing.T) {
	rule := func(kind fit.Kind, dst, width, src int, add uint64) fit.Rule {
		return fit.Rule{Kind: kind, Dst: dst, Width: width, Src: src, Add: add}
	}
	table := func(dst int, rows map[uint64]uint64) fit.Rule {
		return fit.Rule{Kind: fit.Table, Dst: dst, Width: 1, Key: []int{3, 1}, Rows: rows}
	}
	v := &fit.Variant{Sig: "202", Size: 2, Samples: fewest, Rules: []fit.Rule{
		rule(fit.Const, 1, 1, 0, 1), rule(fit.Const, 70, 1, 0, 1), rule(fit.Const, 20, 1, 0, 1),
		rule(fit.Bits, 62, 1, 10, 0), rule(fit.Bits, 63, 1, 11, 0), rule(fit.Bits, 64, 1, 12, 0), rule(fit.Bits, 65, 1, 14, 0), rule(fit.Not, 66, 1, 15, 0), rule(fit.Not, 68, 1, 16, 0), rule(fit.Bits, 21, 1, 17, 0),
		rule(fit.Sum, 80, 8, 32, 0xff), {Kind: fit.Sum, Dst: 18, Width: 4, Src: 44, Key: []int{2}, Rows: map[uint64]uint64{0: 1, 1: 0xa}},
		table(100, map[uint64]uint64{0: 1, 3: 0}), table(103, map[uint64]uint64{0: 1, 3: 1}), table(104, map[uint64]uint64{0: 1}),
	}}
	few := &fit.Variant{Sig: "few", Size: 2, Samples: fewest - 1}
	open := &fit.Variant{Sig: "open", Size: 2, Samples: 100, Open: []int{1}}
	m := &fit.Model{Slots: []fit.Slot{{At: 40, Width: 10}, {At: 60, Width: 5}}, Key: []int{33, 35}, Select: map[uint64]int{3: 0, 10: 0, 1: 1, 2: 2}, Variants: []*fit.Variant{v, few, open},
		Locked: []fit.Lock{{At: 50, Value: 1}, {At: 51}, {At: 52, Value: 1}, {At: 60}}}
	const head = "model\t40+10 60+5\t50+3=5 60+1=0\nkey\t33,35\nshape\t202\t3 a\t20\n"
	const rest = "sum\t80+8\t32\tff\nsum\t18+4\t44\t2\t0=1 1=a\ntable\t100,103\t3,1\t0=3 3=2\ntable\t104\t3,1\t0=1\n"
	for _, c := range []struct {
		what string
		free map[string]bitSet
		want string
	}{
		{"nothing free", nil, "const\t00000000000000400000000000100002\nbit\t62+2\t10\nbit\t64+1\t12\nbit\t65+1\t14\nnot\t66+1\t15\nnot\t68+1\t16\nbit\t21+1\t17\n"},
		{"of another", map[string]bitSet{"203": {20: true}}, "const\t00000000000000400000000000100002\nbit\t62+2\t10\nbit\t64+1\t12\nbit\t65+1\t14\nnot\t66+1\t15\nnot\t68+1\t16\nbit\t21+1\t17\n"},
		{"free bits", map[string]bitSet{"202": {19: true, 20: true, 21: true, 63: true, 64: true, 65: true}}, "const\t00000000000000400000000000000002\nfree\t19+3\nfree\t63+1\nfree\t64+2\nbit\t62+1\t10\nnot\t66+1\t15\nnot\t68+1\t16\n"},
	} {
		want := "form\t0222030e\t100,103\t13.5\n" + head + c.want + rest
		if got := Write(0x0222030e, []int{100, 103}, "13.5", []*fit.Model{m}, c.free); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, want)
		}
	}
	if got := WritePlain(0x2, []int{100}, "13.0", []*fit.Model{{Variants: []*fit.Variant{{Sig: "02", Size: 2, Samples: 30}}, Select: map[uint64]int{0: 0}}}); got != "plain\t002\t100\t13.0\nmodel\t\t\nshape\t02\t0\t30\nconst\t00000000000000000000000000000000\n" {
		t.Errorf("%q", got)
	}
	var long []fit.Lock
	for at := range 70 {
		long = append(long, fit.Lock{At: at, Value: 1})
	}
	if got := locks(long); got != "0+64=ffffffffffffffff 64+6=3f" {
		t.Errorf("%s", got)
	}
}
