package nv50

import (
	"math"
	"math/bits"
	"testing"
)

// disjoint reports whether masks cover exactly the bits of all, none twice.
func disjoint(all uint32, masks ...uint32) bool {
	sum := uint32(0)
	for _, m := range masks {
		if sum&m != 0 {
			return false
		}
		sum |= m
	}
	return sum == all
}

// field reads the bits of a mask as a number.
func field(word, mask uint32) uint32 { return word & mask >> bits.TrailingZeros32(mask) }

// TestMasks decides the claims about bit fields.
func TestMasks(t *testing.T) {
	for id, ok := range map[string]bool{
		// physid: lane 0..4, warp 8..12, MP 16..17, TP 20..23
		"NV-024": disjoint(0x00f31f1f, 0x0000001f, 0x00001f00, 0x00030000, 0x00f00000) && field(0x00a2130c, 0x00001f00) == 0x13 && field(0x00a2130c, 0x00f00000) == 0xa,
		"NV-017": bits.OnesCount32(0x0f000000) == 4,
		// stack entry, word 0
		"NV-071": disjoint(0xffffffff, 0x003fffff, 0x00c00000, 0x1f000000, 0xe0000000),
		// CB_ADDR: buffer 0..6, address>>2 in 8..21
		"NV-076": disjoint(0x003fff7f, 0x7f, 0x003fff00) && bits.TrailingZeros32(0x003fff00) == 8 && bits.OnesCount32(0x003fff00) == 14 && 1<<14*4 == 65536,
		// CB_DEF_SET: buffer 16..22, size 0..15; 0 has to stand for the size that 16 bits can't hold
		"NV-082": disjoint(0x007fffff, 0x7f0000, 0xffff) && bits.OnesCount32(0x7f0000) == 7 && 65536&0xffff == 0 && 65536%0x100 == 0,
		// SET_PROGRAM_CB: buffer 12..18, space 8..11, program 4..7, flag 0
		"NV-084": disjoint(0x7fff1, 0x7f000, 0xf00, 0xf0, 1) && bits.TrailingZeros32(0x7f000) == 12,
		// $r0 at start
		"NV-100": disjoint(0xffffffff, 0x0000ffff, 0x03ff0000, 0xfc000000),
		"NV-101": bits.OnesCount32(0x0000ffff) == 16 && bits.OnesCount32(0x03ff0000) == 10 && bits.OnesCount32(0xfc000000) == 6,
		// GLOBAL_MODE: bit 0, tile mode 8..10
		"NV-112": disjoint(0x701, 1, 0x700),
	} {
		if !ok {
			t.Error(id)
		}
	}
}

// TestRegisters decides which numbers pairs and quads have, and which halves outputs have.
func TestRegisters(t *testing.T) {
	pairs, quads := 0, 0
	for n := range 128 {
		if n%2 == 0 && n+1 < 128 { // NV-029, NV-030: the higher number is the high word
			pairs++
		}
		if n%4 == 0 && n+3 < 128 {
			quads++
		}
	}
	if pairs != 64 || 2*(pairs-1) != 126 || quads != 32 || 4*(quads-1) != 124 {
		t.Errorf("NV-029: %d pairs, %d quads", pairs, quads)
	}
	registers := []uint32{0x11111111, 0x22222222, 0x33333333, 0x44444444}
	if pair := uint64(registers[1])<<32 | uint64(registers[0]); pair != 0x2222222211111111 {
		t.Errorf("NV-030: %#x", pair)
	}
	low, high, bucket := []int{0, 63}, []int{0, 62}, 63 // "$o0l-$o63l", "$o0h-$o62h", "$o63h: Bit-bucket register"
	if high[1]+1 != bucket || low[1] != bucket {
		t.Error("NV-033")
	}
}

// flags computes the four condition bits of an integer sum and of a float as the page defines them.
func flags(a, b int32) (zero, sign, carry, overflow bool) {
	sum := a + b
	wide := int64(a) + int64(b)
	return sum == 0, sum < 0, uint64(uint32(a))+uint64(uint32(b)) > 0xffffffff, (sum < 0) != (wide < 0)
}

func floatFlags(f float64) (zero, sign bool) {
	nan := f != f
	return f == 0 || nan, f < 0 || nan
}

// TestConditions decides the condition bits: NV-038, NV-039 (overflow: the top bit isn't the true sign), NV-040.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		a, b                        int32
		zero, sign, carry, overflow bool
	}{{1, -1, true, false, true, false}, {0x7fffffff, 1, false, true, false, true}, {-0x80000000, -1, false, false, true, true}, {-3, 1, false, true, false, false}} {
		z, s, cy, o := flags(c.a, c.b)
		if z != c.zero || s != c.sign || cy != c.carry || o != c.overflow {
			t.Errorf("NV-038 NV-039: %d + %d: %v %v %v %v", c.a, c.b, z, s, cy, o)
		}
	}
	if z, s := floatFlags(math.NaN()); !z || !s {
		t.Error("NV-040")
	}
	if z, s := floatFlags(-2); z || !s {
		t.Error("NV-038")
	}
}

// TestMethods compares the numbers of methods that the page gives twice, and ranges.
func TestMethods(t *testing.T) {
	setup := map[string][2]int{"DMA_CODE_CB": {0x198, 0x1c0}, "CODE_CB_FLUSH": {0x1440, 0x380}} // "General setup"
	constants := map[string][2]int{"DMA_CODE_CB": {0x198, 0x1c0}, "CB_ADDR": {0xf00, 0x238}, "CB_DEF_SET": {0x1288, 0x2ac}, "CODE_CB_FLUSH": {0x1440, 0x380}, "SET_PROGRAM_CB": {0x1694, 0x3c8}}
	if setup["CODE_CB_FLUSH"] != constants["CODE_CB_FLUSH"] {
		t.Error("NV-011")
	}
	if setup["DMA_CODE_CB"] != constants["DMA_CODE_CB"] {
		t.Error("NV-012")
	}
	for id, name := range map[string]string{"NV-077": "CB_SET_DEF", "NV-078": "CB_FLUSH"} { // the prose's names
		if _, ok := constants[name]; ok {
			t.Errorf("%s: %s is in the table", id, name)
		}
	}
	// NV-013: the table's WARP_HALVES, "1 means 16 threads/warp, 2 means 32", and the text on CPs, "32 lanes if ... 2 to 0x03b8".
	halves := [2]int{0x19a0, 0x3b8}
	if lanes := map[int]int{1: 16, 2: 32}; halves[1] != 0x03b8 || lanes[2] != 32 || lanes[1] != 16*1 {
		t.Error("NV-013")
	}
	if (0xf40-0xf04)/4+1 != 16 || (0x278-0x23c)/4+1 != 16 {
		t.Error("NV-080")
	}
	if last := 0x410 + 15<<5; 0x400+16*32 != 0x600 || last >= 0x600 { // GLOBAL_MODE of segment 15
		t.Error("NV-113")
	}
}

// TestRevisions reads the table of revisions as what each adds to the one before: NV-003, NV-020.
func TestRevisions(t *testing.T) {
	adds := []struct {
		revision string
		features []string
	}{{"1.0", nil}, {"1.1", []string{"atom32 g"}}, {"1.2", []string{"atom64 g", "atom32 s", "vote", "32 warps", "16384 registers"}}, {"1.3", []string{"doubles"}}}
	has := map[string]map[string]bool{}
	sofar := map[string]bool{}
	for _, a := range adds { // "all backwards-compatible"
		for _, f := range a.features {
			sofar[f] = true
		}
		has[a.revision] = map[string]bool{}
		for f := range sofar {
			has[a.revision][f] = true
		}
	}
	for f := range has["1.2"] {
		if !has["1.3"][f] {
			t.Errorf("NV-003: %s", f)
		}
	}
	if len(has["1.3"]) != len(has["1.2"])+1 || !has["1.3"]["doubles"] {
		t.Error("NV-003: more than doubles")
	}
	if !has["1.2"]["32 warps"] || !has["1.2"]["16384 registers"] || has["1.1"]["32 warps"] {
		t.Error("NV-020")
	}
}

// TestHierarchy: a warp is 8 quads of 4 lanes, and its stack entries keep a mask with a bit for each of its threads.
func TestHierarchy(t *testing.T) {
	if 8*4 != 32 {
		t.Error("NV-021")
	}
	const lanes, warps = 32, 24 // of a warp, of an MP; "The stack is per-warp", word 1 has 32 bits
	if bits.Len32(0xffffffff) != lanes || lanes == warps {
		t.Error("NV-073")
	}
}

// TestOpen keeps what the page leaves undefined: NV-055 (mp_count), NV-056 (which TPs are active).
func TestOpen(t *testing.T) {
	defined := map[string]bool{"tp_count": true, "mpssize": true, "warpssize": true, "tpssize": true, "warp_bits": true, "blocksize": true}
	if defined["mp_count"] {
		t.Error("NV-055")
	}
	if defined["active TPs"] {
		t.Error("NV-056")
	}
}
