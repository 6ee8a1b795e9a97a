package place

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
)

// Several reserved variables, as code for sm_110a with tensor memory has them, lie one
// after the other.
func TestReservedInTurn(t *testing.T) {
	for side, head := range map[image.Side]uint64{image.SassSide: 0x40, image.MercurySide: 0} {
		a := &link.Area{Kind: cuda.SHTCudaSharedReserved, Size: 0x140, Parts: []*link.Part{{}, {}}}
		first := &link.Identity{At: a, Def: &image.Symbol{Value: 16}, Size: 0x84}
		second := &link.Identity{At: a, Def: &image.Symbol{Value: 16}, Size: 0x20}
		third := &link.Identity{At: a, Def: &image.Symbol{Value: 1}, Size: 0x20}
		c := &Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: &link.Link{Side: side, Out: &link.Output{Image: &image.Image{Side: side}}, Areas: []*link.Area{a}, IDs: []*link.Identity{first, second, third}}}}}
		c.placeReserved()
		if first.Value != head || second.Value != head+0x90 || third.Value != head+0xb0 || a.Size != head+0xd0 {
			t.Errorf("side %v: %x, %x, %x of %x", side, first.Value, second.Value, third.Value, a.Size)
		}
	}
}
