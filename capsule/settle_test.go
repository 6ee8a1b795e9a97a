package capsule

import (
	"math/rand/v2"
	"testing"
)

// Nodes of unknown size are settled by the whole size: where all take 32 bytes every address after them moves, where some
// do those after the last, and what can't be is unknown from the first on.
func TestSettle(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var c Capsule
		var unknown []uint32
		at := uint32(0)
		for i := range 1 + random.IntN(12) {
			n := Node{SASS: uint32(16 * i), Merc: at, Kind: Plain, Span: 1}
			at += unknownSize
			if random.IntN(3) > 0 {
				unknown = append(unknown, n.SASS)
			} else if random.IntN(2) == 0 {
				n.Kind = Full
			}
			c.Nodes = append(c.Nodes, n)
		}
		c.MercSize = at
		n := uint64(len(unknown))
		grown := random.Uint64N(n + 2)
		size := uint64(at) + 16*grown + uint64([]int{0, 0, 0, 8}[random.IntN(4)])
		from, to := c.Settle(unknown, size)
		exact := size%16 == 0 && grown <= n
		switch {
		case n == 0:
			if from != 0 || to != 0 || c.MercSize != at {
				t.Fatalf("nothing is unknown: %d to %d, size %d", from, to, c.MercSize)
			}
		case !exact:
			if to != ^uint32(0) || from != unknown[0] {
				t.Fatalf("%d more for %d nodes: %d to %d", size-uint64(at), n, from, to)
			}
		case grown == 0 || grown == n:
			want, k := uint32(0), 0
			for i := range c.Nodes {
				if c.Nodes[i].Merc != want {
					t.Fatalf("node %d at %d, want %d", i, c.Nodes[i].Merc, want)
				}
				want += unknownSize
				if k < len(unknown) && c.Nodes[i].SASS == unknown[k] {
					if k++; grown == n {
						want += 16
					}
				}
			}
			if from != 0 || to != 0 || uint64(c.MercSize) != size {
				t.Fatalf("%d to %d, size %d, want %d", from, to, c.MercSize, size)
			}
		default:
			last := c.AtSASS(unknown[n-1])
			for i := range c.Nodes {
				want := uint32(unknownSize * i)
				if i > last {
					want += uint32(16 * grown)
				}
				if c.Nodes[i].Merc != want {
					t.Fatalf("node %d at %d, want %d", i, c.Nodes[i].Merc, want)
				}
			}
			end := c.MercSize
			if last+1 < len(c.Nodes) {
				end = c.Nodes[last+1].Merc
			}
			if from != unknown[0] || to != end || uint64(c.MercSize) != size {
				t.Fatalf("%d to %d, size %d, want %d to %d, %d", from, to, c.MercSize, unknown[0], end, size)
			}
		}
	}
}
