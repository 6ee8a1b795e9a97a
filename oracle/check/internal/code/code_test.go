package code

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestCode holds code of the output against the input's.
func TestCode(t *testing.T) {
	for i, x := range []struct {
		in, out string
		words   *sass.WordMap
		want    string
	}{
		{"m e", "m e", nil, ""},
		{"m e", "m/9 e", nil, "! +0x0 (1 instructions rescheduled, soundly)"},
		{"m e", "m/9 e/5", nil, "! +0x0 (2 instructions rescheduled, soundly)"},
		{"m m e", "M m e", nil, "+0x0 want 0278040000000000000f000000000000 got 0278040001000000000f000000000000 another"},
		{"m m e", "m m/9 x", nil, "+0x20 want 4d790000000000000000800300000000 got 4d090000000000000000800300000000 another"},
		{"m m e", "M m/9 e", nil, "+0x0 want 0278040000000000000f000000000000 got 0278040001000000000f000000000000 another"},

		// Words put in and omitted.
		{"m e", "n m e", nil, "sound"},
		{"m e", "m e n", nil, "sound"},
		{"m n e", "m e", nil, "sound"},
		{"m v e", "m e", nil, "sound"},
		{"m m e", "m e", mapOf(2, 0, -1, 1), "+0x10 want 0278040000000000000f000000fe0f00 missing"},
		{"m m e", "m e", mapOf(2, -1, 0, 1), "+0x0 want 0278040000000000000f000000fe0f00 missing"},
		{"m m e", "m x", mapOf(2, 0, -1, 1), "+0x10 want 0278040000000000000f000000fe0f00 missing\n+0x10 want 4d790000000000000000800300000000 got 4d090000000000000000800300000000 another"},
		{"m e", "m M e", mapOf(3, 0, 2), "+0x10 got 0278040001000000000f000000fe0f00 added"},
		{"m e", "M m e", mapOf(3, 1, 2), "+0x0 got 0278040001000000000f000000fe0f00 added"},
		{"m e", "m e b-1", mapOf(3, 0, 1), "sound"},
		{"m e", "m e L", mapOf(3, 0, 1), "+0x20 got 0278fc00fcffffffffff030000fe0f00 added"},
		{"m e", "m e b-2", mapOf(3, 0, 1), "+0x20 got 4779f800fcffffffffff830300fe0f00 added"},
		{"m e", "m e b+0", mapOf(3, 0, 1), "+0x20 got 47790000000000000000800300fe0f00 added"},
		{"m e", "m f r e", nil, "sound"},
		{"m x", "m f0 x", nil, "sound"},
		{"m e", "m f0 e", nil, "+0x10 got 92090000000000000050000000fe0f00 (a fence with another guard than the instruction after it)"},
		{"m x", "m f x", nil, "sound"},
		{"m x", "m f0 r x", nil, "sound"},
		{"f0 e", "f0 e", nil, ""},
		{"f0 e", "f0/7 e", nil, "! +0x0 (1 instructions rescheduled, soundly)"},

		// Operations made of others.
		{"i e", "a e", nil, ""},
		{"a e", "i e", nil, "+0x0 want 35720403050000000000000000000000 got 1072040305000000ffe0710000000000 another"},
		{"y e", "n e", nil, ""},
		{"n e", "y e", nil, "+0x0 want 4d790000000000000000800300000000 got 46790000000000000000800300000000 another\n+0x10 got 4d790000000000000000800300fe0f00 added"},

		// Branches.
		{"b+1 m e", "b+1 m e", nil, ""},
		{"b+1 m e", "b+0 m e", nil, "+0x0 want 47790400000000000000800300000000 got 47790000000000000000800300000000 another"},
		{"b+1 m e", "b+2 n m e", nil, "sound"},
		{"b+1 m e", "b+1 n m e", nil, "+0x0 want 0x30 got 0x20 target\nsound"},
		{"b+1 m e", "b+3 n m e", nil, "+0x0 want 0x30 got 0x40 target\nsound"},
		{"b+1 m e", "b+1 m n e", nil, "sound"},
		{"b+1 m e", "b+2 m n e", nil, "sound"},
		{"b+1 m e", "b+0 m n e", nil, "+0x0 want 0x30 got 0x10 target\nsound"},
		{"b+1 m e", "d5 m n e", nil, "+0x0 want 0x30 got 0x24 target\nsound"},
		{"b+1 m e", "b+1 m f e", nil, "sound"},
		{"b+1 m e", "b+2 m f e", nil, "+0x0 want 0x20 got 0x30 target\nsound"},
		{"b+1 m n", "b+2 m n n", nil, "+0x0 want 0x20 got 0x30 target\nsound"},
		{"m b-2 e", "m n b-3 e", nil, "sound"},
		{"m b-2 e", "m n b-2 e", nil, "+0x20 want 0x0 got 0x10 target\nsound"},
		{"m b-2 e", "n m b-2 e", nil, "sound"},
		{"m b-2 e", "n m b-3 e", nil, "sound"},
		{"m b-2 e", "n m b-4 e", nil, "+0x20 want 0x10 got 0xfffffffffffffff0 target\nsound"},
		{"m b-3 e", "n m b-3 e", nil, "sound"},
		{"m b-3 e", "n m b-2 e", nil, "+0x20 want 4779f400fcffffffffff830300fe0f00 got 4779f800fcffffffffff830300fe0f00 (a branch that leaves the function)\nsound"},
		{"m b+1 e", "n m b+1 e", nil, "sound"},
		{"m b+0 e", "n m b+0 e", nil, "sound"},
		{"m b+1 e", "n m b+0 e", nil, "+0x20 want 47790400000000000000800300fe0f00 got 47790000000000000000800300fe0f00 (a branch that leaves the function)\nsound"},
		{"m d2 e", "n m d2 e", nil, "sound"},
		{"m d2 e", "n m d3 e", nil, "+0x20 want 47790200000000000000800300fe0f00 got 47790300000000000000800300fe0f00 (a branch that leaves the function)\nsound"},
		{"m b+0 n", "m b+0", mapOf(2, 0, 1, -1), "+0x10 want 0x0 got 0x20 target\nsound"},
		{"m b-1 n n", "m b-1", nil, "sound"},
	} {
		c, a := coded(t, x.in, x.out, x.words)
		if err := c.compareCode(a); err != nil {
			t.Fatal(err)
		}
		if got := told(c); got != x.want {
			t.Errorf("%d: %s against %s:\n%s\nwant\n%s", i, x.out, x.in, got, x.want)
		}
	}
}
