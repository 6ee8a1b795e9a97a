package selfcheck

import (
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// What is asked of a word in one go is what the single questions ask.
func TestQuickRule(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, sm := range []cuda.SM{100, 120} {
		c := &checker{sm: sm, decoder: mercury.Default().Decoder(sm)}
		met := map[[3]bool]int{}
		for op := uint64(0); op <= opcodeMask; op++ {
			r := quickTableFor(sm).of(Word{Lo: op})
			for range 200 {
				w := Word{Lo: r.value.Lo, Hi: r.value.Hi&^schedule | 7<<46 | 7<<49}
				w.Lo = w.Lo&^opcodeMask | op
				for range rng.IntN(3) {
					w.Lo ^= 1 << (12 + rng.IntN(52))
					w.Hi ^= 1 << rng.IntN(64)
				}
				limit := uint32(rng.IntN(257))
				k := wordCheck{}
				k.limitTo(limit)
				alike, schedule, registers := r.alike(w), scheduleFits(w.Hi), registersFit(w, r.fields, k.lanes)
				if want := w.Hi&upper == 0 && c.decoder.LikePlain(w) == mercury.Alike; alike != want {
					t.Fatalf("%v of PLAIN: %v, want %v", w, alike, want)
				}
				if want := w.Hi>>62 == 0 && w.Hi>>46&7 != 6 && w.Hi>>49&7 != 6; schedule != want {
					t.Fatalf("schedule of %v: %v, want %v", w, schedule, want)
				}
				if want := registersBelow(w, limit); registers != want {
					t.Fatalf("registers of %v below %d: %v, want %v", w, limit, registers, want)
				}
				met[[3]bool{alike, schedule, registers}]++
			}
		}
		for i := range 8 {
			if key := [3]bool{i&1 != 0, i&2 != 0, i&4 != 0}; met[key] < 10 {
				t.Errorf("sm_%d: %d words are %v", sm, met[key], key)
			}
		}
	}
}

// registersBelow is registersFit field by field; a limit of 0 is none.
func registersBelow(w Word, limit uint32) bool {
	for i, first := range mercury.RegisterFields {
		half := w.Lo
		if first >= 64 {
			half = w.Hi
		}
		r := uint32(half >> (first & 63) & 0xff)
		if mercury.Registers(uint16(w.Lo&opcodeMask))>>i&1 != 0 && limit != 0 && r != 0xff && r >= limit {
			return false
		}
	}
	return true
}
