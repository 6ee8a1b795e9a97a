package selfcheck

import "testing"

// Words of SKIP nodes of genuine files, the word behind them, and others beside them.
func TestPads(t *testing.T) {
	clock, count := Word{Lo: 0x004f7805, Hi: 0x000fea0000008a00}, Word{Lo: 0xffffff604f4f7824, Hi: 0x000fea00078e02ff}
	for _, x := range []struct {
		w, next Word
		want    bool
	}{
		{Word{Lo: 0x7918, Hi: 0x000fc00000000000}, Word{}, true},
		{Word{Lo: 0x10000 | 0x7918, Hi: 0x000fc00000000000}, Word{}, false},
		{Word{Lo: 0x791a}, Word{}, true},
		{Word{Lo: 0xfffff290, Hi: 0x000fe6000fffe0ff}, Word{}, true},
		{Word{Lo: 0xff00f290, Hi: 0x000fe6000fffe0ff}, Word{}, false},
		{clock, count, true},
		{clock, Word{Lo: count.Lo ^ 1<<16, Hi: count.Hi}, false},
		{clock, Word{Lo: count.Lo ^ 1<<24, Hi: count.Hi}, false},
		{clock, Word{Lo: 0x7918}, false},
		{Word{Lo: clock.Lo, Hi: clock.Hi ^ 1<<9}, count, false},
		{Word{Lo: clock.Lo ^ 1<<12, Hi: clock.Hi}, count, false},
	} {
		if got := pads(x.w, x.next); got != x.want {
			t.Errorf("%v before %v: %v", x.w, x.next, got)
		}
	}
}
