package fit

import (
	"context"
	"math/rand/v2"
	"testing"
)

// machine is an instruction set of one form, made up: what the learner has to
// find out is known here.
func machine(_ context.Context, in []Vec) ([]Out, error) {
	out := make([]Out, len(in))
	for i, v := range in {
		out[i] = one(v)
	}
	return out, nil
}

func one(v Vec) Out {
	register, predicate, kind := v.Field(86, 10), v.Field(35, 5), v.Field(96, 4)
	switch {
	case register > 255 && register != 1023, predicate > 7 && predicate != 31:
		return Out{} // no such operand; 255 and 7 are other ways to write the last
	case kind != 3 && kind != 9:
		return Out{} // no such kind
	}
	lo := predicate&7<<12 | v.Bit(32)<<15 | register&255<<16 | (1-v.Bit(48))<<24
	lo |= map[uint64]uint64{0: 0, 1: 5, 2: 7, 3: 10}[v.Field(50, 2)] << 32
	add := uint64(0x380)
	if kind == 9 {
		add = 0
	}
	lo |= (v.Field(224, 16) + add) & 0xffff << 40
	sig := "abc"
	if v.Bit(52) == 1 {
		sig = "abd"
	}
	return Out{Sig: sig, Bits: []uint64{lo, v.Bit(49) & v.Bit(53)}}
}

func seed(kind uint64) Vec {
	return Vec{}.WithField(35, 5, 31).WithField(86, 10, 4).WithField(96, 4, kind).WithField(224, 16, 100)
}

func TestLearn(t *testing.T) {
	models, err := Learn(t.Context(), Config{First: 32, Bits: 256, Slots: true, Seed: 1}, machine, []Vec{seed(3), seed(9), seed(3).Flip(52)})
	if err != nil {
		t.Fatal(err)
	}
	if len(models) != 1 {
		t.Fatalf("%d models, want one of both kinds", len(models))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	known := 0
	const n = 5000
	for range n {
		v := Vec{rng.Uint64() &^ 0xffffffff, rng.Uint64(), rng.Uint64(), rng.Uint64()}
		v = v.WithField(86, 10, rng.Uint64N(255)).WithField(35, 5, rng.Uint64N(7)).WithField(96, 4, 3+6*rng.Uint64N(2))
		want := one(v)
		for _, m := range models {
			got, why := m.Predict(v)
			if why != "" {
				continue
			}
			known++
			if !got.equal(want) {
				t.Fatalf("%x: %v, want %v", v, got, want)
			}
			break
		}
	}
	if known < n*9/10 {
		t.Errorf("%d of %d known", known, n)
	}
}

func TestPredictRefuses(t *testing.T) {
	models, err := Learn(t.Context(), Config{First: 32, Bits: 256, Slots: true, Seed: 1}, machine, []Vec{seed(3)})
	if err != nil || len(models) != 1 {
		t.Fatal(len(models), err)
	}
	for _, test := range []struct {
		name, why string
		in        Vec
	}{
		{"a register that isn't", "operand", seed(3).WithField(86, 10, 700)},
		{"a predicate that isn't", "operand", seed(3).WithField(35, 5, 9)},
		{"a kind that was in no seed", "locked", seed(9)},
	} {
		if _, why := models[0].Predict(test.in); why != test.why {
			t.Errorf("%s: %q, want %q", test.name, why, test.why)
		}
	}
}
