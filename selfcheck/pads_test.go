package selfcheck

import (
	"testing"

	"github.com/twinlink/twinlink/capsule"
)

// Words of SKIP nodes of genuine files, the word after them, and others beside them.
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

// What takes a barrier's result, as objects of 12.9 have it in a SKIP, and words beside it.
func TestResult(t *testing.T) {
	w := Word{Lo: 0x0012731c, Hi: 0x000ee200000e4000}
	for _, x := range []struct {
		w    Word
		want bool
	}{
		{w, true},
		{Word{Lo: 0x00ff731c, Hi: w.Hi}, true},
		{Word{Lo: 0x0012031c, Hi: w.Hi}, false},
		{Word{Lo: 0x1000000012731c, Hi: w.Hi}, false},
		{Word{Lo: w.Lo, Hi: w.Hi ^ 1<<14}, false},
		{Word{Lo: w.Lo, Hi: w.Hi ^ 1<<16}, false},
		{Word{Lo: w.Lo, Hi: w.Hi ^ 1<<20}, false},
		{Word{Lo: 0x00ff731c, Hi: 0x000e2200000c4000}, true}, // of NCCL 2.28.9: P6
		{Word{Lo: 0x00ff731c, Hi: 0x000e220000004000}, true}, // P0
	} {
		if got := isResult(x.w); got != x.want {
			t.Errorf("%v: %v", x.w, got)
		}
	}
}

// Only a file of 12.9 without code may lack .nv.compat.
func TestBare(t *testing.T) {
	with, without := []capsule.Section{{}, {Name: ".nv.compat"}}, []capsule.Section{{}, {Name: ".symtab"}}
	for _, x := range []struct {
		old, code bool
		sections  []capsule.Section
		want      bool
	}{{true, false, without, true}, {false, false, without, false}, {true, true, without, false}, {true, false, with, false}} {
		c := &checker{old: x.old, m: &capsule.Image{Sections: x.sections}}
		if x.code {
			c.m.Funcs = make([]capsule.Func, 1)
		}
		if got := c.bare(); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}
