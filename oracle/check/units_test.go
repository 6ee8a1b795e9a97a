package check

import "testing"

// The kernel's own constants and those of a function that it calls may not lie on each
// other, once both have a place.
func TestOwnConstantsCollide(t *testing.T) {
	m := &module{image: &image{name: "m.cubin"}, bodies: map[int]*body{}}
	own := &part{mod: m, section: &section{index: 1, name: ".nv.constant2.k", body: []byte("own constants..."), size: 16}}
	unit := &part{mod: m, section: &section{index: 2, name: ".nv.constant2.f", body: []byte("a function's own"), size: 16}, base: 16, placed: true}
	bank := &area{name: ".nv.constant2.k", owner: &body{owner: &identity{name: "k"}}, parts: []*part{own, unit}}
	for _, x := range []struct {
		base   uint64
		placed bool
		want   int
	}{{16, false, 0}, {0, true, 0}, {16, true, 1}, {8, true, 1}} {
		own.base, own.placed = x.base, x.placed
		c := newCheck(nil, nil, Options{})
		c.budget, c.banks = newBudget(1<<20), []*area{bank}
		if err := c.collideUnits(); err != nil || c.verdict.Total != x.want {
			t.Errorf("%+v: %d findings %v", x, c.verdict.Total, err)
		}
	}
}
