package check

import "github.com/twinlink/twinlink/cuda"

// What both sides say of a kernel as a whole.
//
// How many registers and how much stack a kernel needs stands in .nv.info and in
// .nv.merc.nv.info. Either may say more than what is known to be needed, but both say the
// same.
//
// Barriers stand with the function, .nv.info.f and .nv.merc.nv.info.f, and are the same too.
//
// Source: 36,000 such pairs in links for sm_100 and up by nvlink and nvJitLink 13.0 to 13.5; of
// barriers 25,000.

type twinFact struct {
	kernel string
	attr   cuda.InfoAttr
}

// noteFacts keeps what the SASS side says of kernels that have a name of their own.
func (c *check) noteFacts(got []fact) {
	if c.out.side != sassSide {
		return
	}
	c.said = map[twinFact]string{}
	for _, f := range got {
		if id := f.key.id; id != nil && id.kernel() && !id.local && (f.attr == cuda.AttrRegcount || f.attr == cuda.AttrMinStackSize) {
			c.said[twinFact{id.name, f.attr}] = f.rest
		}
	}
}

// asOtherSide wants of a fact that may be larger what the SASS side has.
func (c *check) asOtherSide(f fact) fact {
	if c.sass == nil || !f.least || f.key.id == nil {
		return f
	}
	if rest, ok := c.sass.said[twinFact{f.key.id.name, f.attr}]; ok {
		f.rest, f.least = rest, false
	}
	return f
}

// twinBarriers holds the barriers that one side tells of a function against the other's.
func (c *check) twinBarriers(b *body, list, got []fact) {
	id := b.owner
	if id == nil || id.local || c.out.side == whole {
		return
	}
	key := twinFact{id.name, cuda.AttrNumBarriers}
	if c.out.side == sassSide {
		for _, f := range got {
			if f.attr == cuda.AttrNumBarriers {
				c.said[key] = f.rest
			}
		}
		return
	}
	for i := range list {
		if rest, ok := c.sass.said[key]; ok && list[i].attr == cuda.AttrNumBarriers && !list[i].anything {
			list[i].rest, list[i].also, list[i].least = rest, nil, false
		}
	}
}
