package descriptor

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// number is a place as one number, low bytes first.
func number(place []byte) *big.Int {
	b := slices.Clone(place)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// Fields of any place and width are those of the place taken as one number; nothing beside them changes.
func TestFields(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	low := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(1))
	for first := range uint32(128) {
		for width := uint32(1); first+width <= 128; width++ {
			place := make([]byte, 16)
			for i := range place {
				place[i] = byte(random.Uint32())
			}
			mask := new(big.Int).Lsh(big.NewInt(1), uint(width))
			mask.Sub(mask, big.NewInt(1))
			whole := number(place)
			want := new(big.Int).Rsh(whole, uint(first))
			want.And(want, mask).And(want, low)
			if got := Extract(place, first, width); got != want.Uint64() {
				t.Fatalf("bits %d to %d of %x are %#x, got %#x", first, first+width-1, place, want, got)
			}
			v := random.Uint64()
			Insert(place, v, first, width)
			want = new(big.Int).AndNot(whole, new(big.Int).Lsh(mask, uint(first)))
			want.Or(want, new(big.Int).Lsh(new(big.Int).And(new(big.Int).SetUint64(v), mask), uint(first)))
			if got := number(place); got.Cmp(want) != 0 {
				t.Fatalf("%#x in bits %d to %d: %x, want %x", v, first, first+width-1, got, want)
			}
		}
	}
}
