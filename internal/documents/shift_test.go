package documents

import "testing"

// Shifts by the size and more, or by less than nothing, are those of the machine, and leave it open what C would do.
func TestShifts(t *testing.T) {
	const x = 0x8000000000000003
	for _, c := range []struct {
		n                 int64
		left, right       uint64
		short             uint32
		open, shortIsOpen bool
	}{
		{0, x, x, 0x80000003, false, false}, {1, 6, 0x4000000000000001, 0x40000001, false, false}, {31, 1<<31 | 1<<32, x >> 31, 1, false, false}, {32, 3 << 32, x >> 32, 0x80000003, false, true},
		{63, 1 << 63, 1, 1, false, true}, {64, x, x, 0x80000003, true, true}, {65, 6, 0x4000000000000001, 0x40000001, true, true}, {-1, 1 << 63, 1, 1, true, true},
	} {
		var m, n, k machine
		if got := m.shl(x, c.n); got != c.left || m.open != c.open {
			t.Errorf("shl %d: %#x, open %v, want %#x", c.n, got, m.open, c.left)
		}
		if got := n.shr(x, c.n); got != c.right || n.open != c.open {
			t.Errorf("shr %d: %#x, open %v, want %#x", c.n, got, n.open, c.right)
		}
		if got := k.shr32(0x80000003, c.n); got != c.short || k.open != c.shortIsOpen {
			t.Errorf("shr32 %d: %#x, open %v, want %#x", c.n, got, k.open, c.short)
		}
		m.shl(1, 1)
		if m.open != c.open {
			t.Errorf("shl %d: it isn't open any more", c.n)
		}
	}
}
