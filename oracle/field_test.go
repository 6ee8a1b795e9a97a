package oracle

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"
)

func randomPlace(r *rand.Rand) []byte {
	place := make([]byte, 16)
	for i := range place {
		place[i] = byte(r.Uint32())
	}
	return place
}

// Writing and then reading a field gives the value modulo its width, and the
// bits outside it stay, for every field of a 128-bit place.
func TestFieldHoldsValueModuloWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for start := uint(0); start <= maxBit; start++ {
		for width := uint(1); start+width <= maxBit+1; width++ {
			f := Field{start, width}
			before := randomPlace(r)
			after := bytes.Clone(before)
			value := new(big.Int).SetUint64(r.Uint64())
			value.Lsh(value, 64).Add(value, new(big.Int).SetUint64(r.Uint64()))
			if r.Uint32()%2 == 0 {
				value.Neg(value)
			}
			var reduced, got big.Int
			low(&reduced, value, width)
			writeField(after, f, &reduced)
			readField(&got, after, f)
			want := new(big.Int).Mod(value, new(big.Int).Lsh(big.NewInt(1), width))
			if got.Cmp(want) != 0 {
				t.Fatalf("%s: wrote %x, read %x, want %x", f, value, &got, want)
			}
			for n := uint(0); n <= maxBit; n++ {
				if (n < start || n > f.Last()) && getBit(before, n) != getBit(after, n) {
					t.Fatalf("%s: bit %d changed", f, n)
				}
			}
		}
	}
}

func TestFieldText(t *testing.T) {
	for text, f := range map[string]Field{"bits[28..41]": {28, 14}, "bits[26]": {26, 1}, "bits[0..127]": {0, 128}} {
		if f.String() != text {
			t.Errorf("%+v prints %s, want %s", f, f, text)
		}
		if got, err := parseField(text); err != nil || got != f {
			t.Errorf("%s parses to %+v, %v", text, got, err)
		}
	}
}

// The worked example of the seed document r-cuda-relocations: 0xDEADBEEF at
// bit 26 of an empty word is 0x037AB6FBBC000000.
func TestFieldOfTheWorkedExample(t *testing.T) {
	place := make([]byte, 8)
	writeField(place, Field{26, 32}, big.NewInt(0xdeadbeef))
	want := []byte{0, 0, 0, 0xbc, 0xfb, 0xb6, 0x7a, 0x03}
	if !bytes.Equal(place, want) {
		t.Errorf("%x, want %x", place, want)
	}
}
