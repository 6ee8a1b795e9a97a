package resched

import (
	"math/big"
	"testing"
)

// TestPut writes every field of a word of all ones and of all zeros, and wants its bits and no other to be written.
func TestPut(t *testing.T) {
	whole := func(w word) *big.Int {
		return new(big.Int).Or(new(big.Int).Lsh(new(big.Int).SetUint64(w.hi), 64), new(big.Int).SetUint64(w.lo))
	}
	for _, full := range []word{{}, {lo: 1<<64 - 1, hi: 1<<64 - 1}} {
		for first := uint(0); first < 128; first++ {
			for n := uint(1); n <= 63 && first+n <= 128; n++ {
				v := uint64(0x5a5a5a5a5a5a5a5a)
				want := whole(full)
				for i := range n {
					want.SetBit(want, int(first+i), uint(v>>i&1))
				}
				w := full
				if w.put(first, n, v); whole(w).Cmp(want) != 0 {
					t.Fatalf("%d bits at %d: %x", n, first, w)
				}
			}
		}
	}
}
