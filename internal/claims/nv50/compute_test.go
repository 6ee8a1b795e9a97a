package nv50

import "testing"

// thread is a tuple of a block.
type thread struct{ z, y, x int }

// threads lists a block's tuples in lexicographic order.
func threads(x, y, z int) (list []thread) {
	for c := range z {
		for b := range y {
			for a := range x {
				list = append(list, thread{c, b, a})
			}
		}
	}
	return list
}

// TestThreads repeats the page's example: blockdim 2, 3, 4, 21 threads, 16 lanes.
func TestThreads(t *testing.T) {
	list := threads(2, 3, 4)
	const perBlock, lanes = 21, 16
	if len(list) != 24 { // NV-095: "(0,0,0) through (blockdim.z, blockdim.y, blockdim.x)" would be 60
		t.Errorf("NV-095: %d tuples", len(list))
	}
	place := map[thread][2]int{}
	for i, x := range list[:perBlock] { // NV-094
		place[x] = [2]int{i / lanes, i % lanes}
	}
	for x, want := range map[thread][2]int{{0, 0, 0}: {0, 0}, {0, 2, 1}: {0, 5}, {2, 1, 1}: {0, 15}, {2, 2, 0}: {1, 0}, {2, 2, 1}: {1, 1}, {3, 1, 0}: {1, 4}} {
		if place[x] != want {
			t.Errorf("NV-094 NV-097: %v is at %v", x, place[x])
		}
	}
	if cut := len(list) - perBlock; cut != 3 {
		t.Errorf("NV-097: %d are cut off", cut)
	}
	launches := func(n int) bool { return n <= len(list) } // NV-096
	if !launches(24) || launches(25) {
		t.Error("NV-096")
	}
}

// TestSharedStart lays the table of s[] end to end: NV-043, NV-098, NV-099.
func TestSharedStart(t *testing.T) {
	at := 0
	for i, name := range []string{"gridid", "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "ctaid.x", "ctaid.y"} {
		if at != 2*i || at != []int{0x0, 0x2, 0x4, 0x6, 0x8, 0xa, 0xc, 0xe}[i] {
			t.Errorf("NV-098: %s at %#x", name, at)
		}
		at += 2
	}
	if at != 0x10 { // parameters begin there
		t.Errorf("NV-043 NV-098: %#x", at)
	}
	const most = 64 // USER_PARAM_COUNT, words of 4 bytes
	if most*4 != 0x6fc-0x600+4 {
		t.Error("NV-099")
	}
}

// TestAddressing: 16 bits reach what the spaces have but for g[], which needs 32 (NV-044).
func TestAddressing(t *testing.T) {
	for _, s := range []struct {
		name string
		size uint64
	}{{"c", 64 << 10}, {"l", 64 << 10}, {"s", 16 << 10}} {
		if s.size > 1<<16 {
			t.Errorf("NV-044: %s", s.name)
		}
	}
	if uint64(4)<<30 != 1<<32 {
		t.Error("NV-044: g")
	}
}

// segment is one of the 16 global segments.
type segment struct {
	base, pitch uint64
	limit       uint32
	linear      bool
	tileMode    uint
}

// address is the page's formula before the tile flags have their way with it.
func (s *segment) address(reg uint32) uint64 {
	if s.linear {
		return s.base + uint64(reg) // NV-103
	}
	x, y := uint64(reg&0xffff), uint64(reg>>16) // NV-104
	shift := s.tileMode + 2
	mask := uint64(1)<<shift - 1
	offs := x&0x3f + y&mask<<6 + x>>6<<(6+shift) // NV-105
	return s.base + offs + y>>shift*s.pitch      // NV-106
}

func (s *segment) outside(reg uint32) bool {
	if s.linear {
		return reg > s.limit // NV-108
	}
	return reg>>16 > s.limit>>16 || reg&0xffff > s.limit&0xffff // NV-109
}

// TestGlobalAddress: a 2D surface's bytes get addresses of their own, tile by tile.
func TestGlobalAddress(t *testing.T) {
	linear := segment{base: 0x1000, linear: true, limit: 0x2ff}
	if linear.address(0x123) != 0x1123 || linear.outside(0x2ff) || !linear.outside(0x300) || (uint64(linear.limit)+1)%0x100 != 0 {
		t.Error("NV-103 NV-108")
	}
	for mode := range uint(6) {
		shift := mode + 2
		const width = 128 // bytes: two tiles of 64
		lines := uint64(2) << shift
		s := segment{base: 0x10000, tileMode: mode, pitch: width << shift, limit: uint32(lines-1)<<16 | width - 1}
		seen := map[uint64]bool{}
		for y := range lines {
			for x := range uint64(width) {
				reg := uint32(y<<16 | x)
				a := s.address(reg)
				if seen[a] || a < s.base || a >= s.base+lines*width || s.outside(reg) {
					t.Fatalf("NV-105 NV-106 NV-109: mode %d (%d, %d) at %#x", mode, x, y, a)
				}
				seen[a] = true
			}
		}
		// NV-104: a tile is 64 bytes by 2^shift lines and lies in one piece.
		if d := s.address(uint32(1<<shift-1)<<16|63) - s.address(0); d != 64<<shift-1 {
			t.Errorf("NV-104: mode %d: %#x", mode, d)
		}
		if !s.outside(uint32(lines)<<16) || !s.outside(width) {
			t.Errorf("NV-109: mode %d", mode)
		}
		// NV-110: from one line to the next of the same tile it is 64 bytes; the pitch leads to the next row of tiles.
		if s.address(1<<16)-s.address(0) != 64 || s.address(uint32(1)<<shift<<16)-s.address(0) != s.pitch {
			t.Errorf("NV-110: mode %d", mode)
		}
	}
}
