package facts

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What both sides say of a kernel as a whole.
//
// How many registers and how much stack a kernel needs is in .nv.info and in
// .nv.merc.nv.info. Either may say more than what is known to be needed, but both say the
// same.
//
// Barriers stand with the function, .nv.info.f and .nv.merc.nv.info.f, and are the same too.
//
// Source: 36,000 such pairs in links for sm_100 and up by nvlink and nvJitLink 13.0 to 13.5; of
// barriers 25,000.

// noteFacts keeps what the SASS side says of kernels that have a name of their own.
func (c *check) noteFacts(got []link.Fact) {
	if c.Out.Side != image.SassSide {
		return
	}
	c.Said = map[link.CounterpartFact]string{}
	for _, f := range got {
		if id := f.Key.ID; id != nil && id.Kernel() && !id.Local && (f.Attr == cuda.AttrRegcount || f.Attr == cuda.AttrMinStackSize) {
			c.Said[link.CounterpartFact{Kernel: id.Name, Attr: f.Attr}] = f.Rest
		}
	}
}

// sameStack wants the SASS side to tell as much stack as the Mercury side does for a kernel with functions inside.
func (c *check) sameStack(k *link.Identity, f link.Fact) {
	if c.Sass == nil || k.Code == nil || !k.Code.HoldsFunctions() {
		return
	}
	rest, told := c.Sass.Said[link.CounterpartFact{Kernel: k.Name, Attr: f.Attr}]
	got := f
	if got.Rest = rest; told && !f.Is(got) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.FactValue, File: f.File, Section: ".nv.info", Symbol: k.Name, Want: f.Value(), Got: got.Value(), Detail: infoName(f.Attr)})
	}
}

// asOtherSide wants of a fact that may be larger what the SASS side has.
func (c *check) asOtherSide(f link.Fact) link.Fact {
	if c.Sass == nil || c.Sass.DriverReads || !f.Least || f.Key.ID == nil {
		return f
	}
	if rest, ok := c.Sass.Said[link.CounterpartFact{Kernel: f.Key.ID.Name, Attr: f.Attr}]; ok {
		f.Rest, f.Least = rest, false
	}
	return f
}

// counterpartBarriers holds the barriers that one side tells of a function against the other's.
func (c *check) counterpartBarriers(b *link.Body, list, got []link.Fact) {
	id := b.Owner
	if id == nil || id.Local || c.Out.Side == image.Whole {
		return
	}
	key := link.CounterpartFact{Kernel: id.Name, Attr: cuda.AttrNumBarriers}
	if c.Out.Side == image.SassSide {
		for _, f := range got {
			if f.Attr == cuda.AttrNumBarriers {
				c.Said[key] = f.Rest
			}
		}
		return
	}
	for i := range list {
		if rest, ok := c.Sass.Said[key]; ok && list[i].Attr == cuda.AttrNumBarriers && !list[i].Anything {
			list[i].Rest, list[i].Also, list[i].Least = rest, nil, false
		}
	}
}
