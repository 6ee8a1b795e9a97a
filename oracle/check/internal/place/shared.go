package place

import (
	"cmp"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// adoptInstance takes the symbol that represents arrays of unknown length.
func (c *Places) adoptInstance() {
	if c.Relocatable && len(c.OutByName.Of(link.ExternInstance)) > 0 {
		c.Instance = &link.Identity{Name: link.ExternInstance, Order: len(c.IDs), Early: true, Info: 16*byte(cuda.STBWeak) + byte(cuda.STTCudaObject), Other: cuda.STOShared | cuda.STOInternal}
		c.IDs = append(c.IDs, c.Instance)
	}
}

// findShared notes the alignment of shared variables.
func (c *Places) findShared() {
	for _, id := range c.IDs {
		if id.Kind() == cuda.STTCudaObject && id.Space() == cuda.STOShared && id.Def != nil && !id.Def.Special {
			id.Align = max(id.Def.Value, 1)
			c.Shared = append(c.Shared, id)
		}
	}
}

// SharedUse is a shared variable at its place.
type SharedUse struct {
	ID         *link.Identity
	Start, End uint64
}

// Compare orders variables by place.
func (u SharedUse) Compare(o SharedUse) int {
	if n := cmp.Compare(u.Start, o.Start); n != 0 {
		return n
	}
	return cmp.Compare(u.ID.Order, o.ID.Order)
}

// noteAlignment keeps what the code's own module asks for an array: another module may
// ask for more, and its code alone counts on it. The value of a stand-in is a place.
func (c *Places) noteAlignment(code *link.Body, id *link.Identity, s *image.Symbol) {
	if key := (link.ObservedKey{ID: id, Code: code}); id.ExternShared() && !id.StandIn() && s.Value&(s.Value-1) == 0 && s.Value > c.Aligned[key] {
		c.Aligned[key] = s.Value
	}
}
