package shared

import (
	"fmt"

	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// A function that is called as one of the driver's may have shared memory as a kernel has, see package link. It
// holds what the functions use that it calls; what it uses alone counts where it calls itself.

// compareDriverSizes wants of such a function's section, where there is one, that it is long enough.
func (c *check) compareDriverSizes(sets []*joined) error {
	g := c.Graph
	for _, f := range g.Functions {
		if !f.LikeDriver() || f.First() != f {
			continue
		}
		a := c.ByKey[link.AreaKey{Base: ".nv.shared.", Owner: f.Code}]
		if a == nil || a.Out == nil {
			continue
		}
		end := c.sharedEnd(f)
		for _, y := range g.Next[f.Node] {
			set := sets[g.Group[y]]
			if set != nil && set.furthest.End > end {
				u := set.furthest
				c.Verdict.Add(verdict.Finding{Kind: verdict.SharedSize, File: f.File, Section: a.Out.Name, Symbol: u.ID.Name, Want: "at least " + verdict.Hex(u.End), Got: verdict.Hex(end),
					Detail: fmt.Sprintf("%s, which has the name of a driver function, reaches this variable", f.Name)})
				break
			}
		}
		if err := c.Budget.Spend("output", uint64(len(g.Next[f.Node]))); err != nil {
			return err
		}
	}
	return nil
}
