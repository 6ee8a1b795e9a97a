package selfcheck

import (
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

// What a scan says of words in one go is what is said of each alone.
func TestScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	wrong, special, unsized, sizes := 0, 0, 0, map[bool]int{}
	for _, sm := range []cuda.SM{100, 120} {
		s := scan{table: quickTableFor(sm)}
		for range 20_000 {
			code, limit := randomWords(rng, s.table), uint32(rng.IntN(2)*rng.IntN(300))
			s.begin(&capsule.Func{Code: code}, limit)
			large, unknown := s.Plain(code, 0)
			var k wordCheck
			k.limitTo(limit)
			bad, asks := false, []stretch(nil)
			for at := uint32(0); at < uint32(len(code)); at += capsule.WordSize {
				w := wordAt(code, at)
				r := s.table.of(w)
				bad = bad || !r.alike(w) || !r.fits(w, k.lanes)
				if uint8(r.info)&(opBranch|opFrees) != 0 {
					asks = append(asks, stretch{at, at + capsule.WordSize, true})
				}
				size, bit := capsule.PlainSize(w.Lo, w.Hi), uint32(1)<<(at/capsule.WordSize)
				if (large&bit != 0) != (size == 32) || (unknown&bit != 0) != (size == 0) {
					t.Fatalf("%v: large %v, unknown %v; its size is %d", w, large&bit != 0, unknown&bit != 0, size)
				}
				sizes[size == 32]++
				if size == 0 {
					unsized++
				}
			}
			switch {
			case bad:
				wrong++
				asks = []stretch{{0, uint32(len(code)), false}}
			case len(asks) > 0:
				special++
			}
			if !equalStretches(s.left, asks) {
				t.Fatalf("%d words: left %v, want %v", len(code)/capsule.WordSize, s.left, asks)
			}
		}
	}
	if wrong < 1000 || special < 100 || unsized < 100 || sizes[true] < 1000 || sizes[false] < 1000 {
		t.Errorf("%d wrong, %d special, %d without a size, sizes %v", wrong, special, unsized, sizes)
	}
}

func equalStretches(a, b []stretch) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// randomWords makes one to 32 words of known opcodes, few of which have anything wrong.
func randomWords(rng *rand.Rand, table *quickTable) (code []byte) {
	ops := []uint64{opBRA, opUSETMAXREG, 0x212, 0xc12, 0x292, opBSSY, 0x210, 0x918, 0x7ff}
	for range 1 + rng.IntN(32) {
		op := ops[rng.IntN(len(ops))]
		if rng.IntN(4) > 0 {
			op = rng.Uint64() & opcodeMask
		}
		r := table.of(Word{Lo: op})
		w := Word{Lo: r.value.Lo&^opcodeMask | op, Hi: r.value.Hi&^schedule | 7<<46 | 7<<49}
		if r.care.Lo&opcodeMask != 0 && rng.IntN(1000) > 0 {
			continue // an opcode that no PLAIN node has
		}
		w.Lo, w.Hi = w.Lo|rng.Uint64()&^r.care.Lo&^(opcodeMask|r.value.Lo), w.Hi|rng.Uint64()&^r.care.Hi&^schedule
		if rng.IntN(60) == 0 {
			w.Hi ^= 1 << rng.IntN(64)
		}
		var b [capsule.WordSize]byte
		w.Put(b[:])
		code = append(code, b[:]...)
	}
	if len(code) == 0 {
		return randomWords(rng, table)
	}
	return code
}
