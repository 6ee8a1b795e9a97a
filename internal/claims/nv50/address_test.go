package nv50

import (
	"math/bits"
	"testing"
)

// chip is what the page's address functions take from the hardware and from methods.
type chip struct {
	tps, mps  []bool // active
	nva0      bool   // or later
	warpsLog  int    // *_WARPS_LOG_ALLOC: 0..4, 7
	halves    int    // WARP_HALVES
	clearedCP bool   // method 0x3b8 set to 0
}

func count(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// compressed is compressed_tp_id and compressed_mp_id: NV-048, NV-049.
func compressed(active []bool, id int) int { return count(active[:id]) }

func (c *chip) warpBits() int {
	if c.warpsLog == 7 {
		return 5
	}
	return c.warpsLog
}

func (c *chip) tpCount() int {
	n := count(c.tps)
	if !c.nva0 {
		n = 1 << bits.Len(uint(n-1))
	}
	return n
}

func (c *chip) stack(entry, warp, mp, tp int) int {
	mpssize := count(c.mps) * 0x20
	warpssize := mpssize << c.warpBits()
	tpssize := warpssize * c.tpCount()
	return (entry>>2)*tpssize + compressed(c.tps, tp)*warpssize + (warp&(1<<c.warpBits()-1))*mpssize + compressed(c.mps, mp)*0x20 + (entry&3)*8
}

func (c *chip) block() int {
	halves := c.halves
	if c.clearedCP {
		halves = 1
	}
	return 0x100 * halves
}

// local is local_address with the parentheses that the prose asks for.
func (c *chip) local(addr, lane, warp, mp, tp int) int {
	mpssize := count(c.mps) * c.block()
	warpssize := mpssize << c.warpBits()
	tpssize := warpssize * c.tpCount()
	return (addr>>4)*tpssize + compressed(c.tps, tp)*warpssize + (warp&(1<<c.warpBits()-1))*mpssize + compressed(c.mps, mp)*c.block() +
		(lane>>4)*0x100 + (addr&0xc)<<4 + (lane&0xf)<<2 + addr&3
}

// asWritten is the last line of local_address as C reads it.
func asWritten(sum, addr, lane int) int {
	return (sum+(lane>>4)*0x100+(addr&0xc))<<4 | (lane&0xf)<<2 | (addr & 3)
}

func examples() []chip {
	return []chip{
		{tps: []bool{true, false, true, true}, mps: []bool{true, true}, warpsLog: 3, halves: 2},
		{tps: []bool{true, true, true, true, true, true, true, true, true, true}, mps: []bool{true, true, true}, nva0: true, warpsLog: 7, halves: 2},
		{tps: []bool{false, true}, mps: []bool{false, true}, warpsLog: 0, halves: 1},
		{tps: []bool{true, true, true}, mps: []bool{true}, nva0: true, warpsLog: 4, halves: 2, clearedCP: true},
	}
}

// TestStackAddress: every entry of every context gets eight bytes of its own, without holes from NVA0 on.
func TestStackAddress(t *testing.T) {
	for i, c := range examples() {
		seen, top := map[int]bool{}, 0
		entries, contexts := 8, 0
		for tp := range c.tps {
			for mp := range c.mps {
				if !c.tps[tp] || !c.mps[mp] {
					continue
				}
				for warp := range 1 << c.warpBits() {
					contexts++
					for e := range entries {
						a := c.stack(e, warp, mp, tp)
						if a%8 != 0 || seen[a] { // NV-045: entries of 8 bytes, blocks of 0x20
							t.Fatalf("NV-045 NV-050: chip %d: %#x twice", i, a)
						}
						seen[a] = true
						top = max(top, a+8)
					}
					if c.stack(3, warp, mp, tp)-c.stack(0, warp, mp, tp) != 0x18 || c.stack(0, warp, mp, tp)%0x20 != 0 {
						t.Errorf("NV-045: chip %d", i)
					}
				}
			}
		}
		if c.nva0 && top != contexts*entries*8 { // NV-051: sizes multiply up to a segment without holes
			t.Errorf("NV-051: chip %d: %#x bytes for %d contexts", i, top, contexts)
		}
		// NV-053: below NVA0 the number of TPs is a power of two, from NVA0 on it is what it is.
		if n := c.tpCount(); !c.nva0 && bits.OnesCount(uint(n)) != 1 || c.nva0 && n != count(c.tps) {
			t.Errorf("NV-053: chip %d: %d", i, n)
		}
	}
	c := examples()[1]
	if c.warpBits() != 5 || c.stack(0, 32, 0, 0) != c.stack(0, 0, 0, 0) || c.stack(0, 31, 0, 0) == c.stack(0, 0, 0, 0) { // NV-052
		t.Error("NV-052")
	}
	if compressed([]bool{true, false, true}, 2) != 1 || compressed([]bool{false, false}, 1) != 0 {
		t.Error("NV-048 NV-049")
	}
	// NV-054 "each such grouping to POT size": with three MPs a warp's share is 0x60 bytes, below NVA0 too.
	three := chip{tps: []bool{true}, mps: []bool{true, true, true}, warpsLog: 2}
	if d := three.stack(0, 1, 0, 0) - three.stack(0, 0, 0, 0); d != 0x60 {
		t.Errorf("NV-054: %#x", d)
	}
}

// TestLocalAddress holds the function against the prose: address bits 0-1, lane bits 0-3, address bits 2-3, lane bit 4.
func TestLocalAddress(t *testing.T) {
	for i, c := range examples() {
		seen := map[int]bool{}
		lanes := c.block() / 16 // NV-063: 16 bytes of each lane
		if lanes != 16 && lanes != 32 {
			t.Errorf("NV-063: %d", lanes)
		}
		if c.clearedCP && c.block() != 0x100 { // NV-058, NV-092: the method takes 0, too
			t.Error("NV-058 NV-092")
		}
		for lane := range lanes {
			for addr := range 32 {
				for warp := range 1 << c.warpBits() {
					a := c.local(addr, lane, warp, len(c.mps)-1, len(c.tps)-1)
					if seen[a] {
						t.Fatalf("NV-057: chip %d: %#x twice", i, a)
					}
					seen[a] = true
					in := addr&3 | lane&15<<2 | addr>>2&3<<6 | lane>>4<<8 // NV-060; NV-062: bit 8 only with 32 lanes
					if a%c.block() != in {
						t.Errorf("NV-060 NV-062: %#x, wanted %#x in the block", a, in)
					}
				}
			}
		}
		// NV-061: MP innermost, then warp, TP, and the rest of the address outermost.
		if len(c.mps) == 3 {
			step := func(addr, warp, mp, tp int) int { return c.local(addr, 0, warp, mp, tp) - c.local(0, 0, 0, 0, 0) }
			if mp, warp, tp, rest := step(0, 0, 1, 0), step(0, 1, 0, 0), step(0, 0, 0, 1), step(16, 0, 0, 0); mp != c.block() || warp != 3*mp || tp != 32*warp || rest != 10*tp {
				t.Errorf("NV-061 NV-057: %#x %#x %#x %#x", mp, warp, tp, rest)
			}
		}
	}
	// NV-059: as written, + comes before <<.
	c := examples()[0]
	if asWritten(0, 4, 17) == c.local(4, 17, 0, 0, 0) {
		t.Error("NV-059: the line means what the prose says")
	}
	// NV-091
	for _, m := range []struct{ enable, halves, lanes int }{{1, 2, 32}, {0, 2, 16}, {1, 1, 16}, {0, 1, 16}} {
		lanes := 16
		if m.enable == 1 && m.halves == 2 {
			lanes = 32
		}
		if lanes != m.lanes {
			t.Errorf("NV-091: %+v", m)
		}
	}
}

// TestSizes: the logarithmic size methods, and the number of bits for warps.
func TestSizes(t *testing.T) {
	log := func(n int) int { return bits.Len(uint(n)) - 1 }
	for n, want := range map[int]int{1: 1, 2: 2, 1024: 11} { // NV-066: + 1 keeps 0 free for "disabled"
		if log(n)+1 != want {
			t.Errorf("NV-066: %d", n)
		}
	}
	for n, want := range map[int]int{16: 1, 32: 2, 65536: 13} { // NV-067
		if log(n/16)+1 != want {
			t.Errorf("NV-067: %d", n)
		}
	}
	valid := []int{0, 1, 2, 3, 4, 7}
	for _, v := range valid { // NV-068: 5 bits, for 24 or 32 warps, are asked for with 7
		if v == 5 || (&chip{warpsLog: v}).warpBits() > 5 {
			t.Errorf("NV-068: %d", v)
		}
	}
	// NV-069: clamped, the warps whose ids don't fit aren't run; unclamped, they share with an earlier one.
	c := chip{tps: []bool{true}, mps: []bool{true}, warpsLog: 2}
	runs := 0
	for warp := range 24 {
		if warp < 1<<c.warpBits() {
			runs++
		} else if c.stack(0, warp, 0, 0) != c.stack(0, warp&3, 0, 0) {
			t.Error("NV-069")
		}
	}
	if runs != 4 {
		t.Errorf("NV-069: %d warps", runs)
	}
}
