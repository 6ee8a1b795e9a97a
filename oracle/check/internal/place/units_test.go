package place

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The kernel's own constants and those of a function that it calls may not lie on each
// other, once both have a place.
func TestOwnConstantsCollide(t *testing.T) {
	m := &link.Module{Image: &image.Image{Name: "m.cubin"}, Bodies: map[int]*link.Body{}}
	own := &link.Part{Mod: m, Section: &image.Section{Index: 1, Name: ".nv.constant2.k", Body: []byte("own constants..."), Size: 16}}
	unit := &link.Part{Mod: m, Section: &image.Section{Index: 2, Name: ".nv.constant2.f", Body: []byte("a function's own"), Size: 16}, Base: 16, Placed: true}
	bank := &link.Area{Name: ".nv.constant2.k", Owner: &link.Body{Owner: &link.Identity{Name: "k"}}, Parts: []*link.Part{own, unit}}
	for _, x := range []struct {
		base   uint64
		placed bool
		want   int
	}{{16, false, 0}, {0, true, 0}, {16, true, 1}, {8, true, 1}} {
		own.Base, own.Placed = x.base, x.placed
		c := &Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: link.New(0, verdict.Options{})}}}
		c.Budget, c.banks = image.NewBudget(1<<20), []*link.Area{bank}
		if err := c.collideUnits(); err != nil || c.Verdict.Total != x.want {
			t.Errorf("%+v: %d findings %v", x, c.Verdict.Total, err)
		}
	}
}
