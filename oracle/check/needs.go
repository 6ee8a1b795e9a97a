package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// What a function and all it may call ask for.
//
// A function needs its own frame and the deepest need among what it may call.
// Where a cycle can be reached nobody knows, and the attribute is all ones. The
// stack of the call-return-sync mechanism is summed the same way; of registers and
// barriers the most counts, of masks every bit. Transaction barriers are those of all
// that can be reached, each function once.
// Needs are joined once for each component of the call graph, those that call
// nothing first.
//
// Source: links of call programs by nvlink 11.8.89 to 13.0.88.

// need is what a function and all it may call ask for.
type need struct {
	known      bool // false: a cycle can be reached
	stack, crs uint64
	mbarriers  uint64  // transaction barriers of all functions
	waiting    []int32 // the nodes that have some, sorted; nil and many: more than manyWaiting
	many       bool    // mbarriers is no more than the least
	waits      bool    // some function says how many it has, be it none
	registers  uint32
	barriers   uint64
	below      uint64 // barriers without the function's own
	flagged    uint64 // barriers in the flags of code, up to 12.x
	sparse     uint64 // mask of sparse matrix instructions
	maskless   bool   // some code has no such mask
	ctaidz     bool
	reserved   bool // reserved shared memory
	launches   bool // kernels through the old interface
	least      bool // some function has several definitions, whose needs nvlink may count as well
	tensor     tensorNeed
	externs    []string
}

// own is what a function asks for itself.
func (c *check) ownNeed(f *identity) need {
	n := need{known: true, least: f.several && !c.options.Strict}
	if f.code == nil {
		n.launches = strings.HasPrefix(f.name, "cnp")
		return n
	}
	b := f.code
	n.registers, _ = b.moduleFact(cuda.AttrRegcount)
	n.barriers, n.flagged = b.barrierCount(), uint64(b.section.flags&cuda.SHFBarrierMask>>cuda.SHFBarrierShift)
	for _, a := range b.attributes() {
		switch a.attr {
		case cuda.AttrCrsStackSize:
			if f.first() == f {
				n.crs = number(a.value, 0, 4)
			}
		case cuda.AttrNumMbarriers:
			if f.first() == f {
				n.mbarriers, n.waits = number(a.value, 0, 2), true
			}
		case cuda.AttrSparseMmaMask:
			n.sparse |= number(a.value, 0, 2)
		case cuda.AttrCtaidzUsed:
			n.ctaidz = true
		case cuda.AttrReservedSmemUsed:
			n.reserved = true
		}
		n.tensor.add(a)
	}
	_, masked := b.attribute(cuda.AttrSparseMmaMask)
	n.maskless = !masked
	for _, name := range b.names {
		if name.live && name.first() != name && name.def.value == 0 {
			n.sparse |= secondNameMask
		}
	}
	if f.first() == f {
		frame, _ := b.moduleFact(cuda.AttrFrameSize)
		n.stack = uint64(frame)
	}
	n.externs = c.externs(b)
	return n
}

// more joins what two ask for that are not on one path.
func (n *need) more(o *need) {
	n.stack, n.crs, n.mbarriers = max(n.stack, o.stack), max(n.crs, o.crs), max(n.mbarriers, o.mbarriers)
	n.many, n.waits = n.many || o.many, n.waits || o.waits
	n.tensor.more(&o.tensor)
	n.known = n.known && o.known
	n.registers, n.barriers, n.flagged = max(n.registers, o.registers), max(n.barriers, o.barriers), max(n.flagged, o.flagged)
	n.sparse |= o.sparse
	n.maskless = n.maskless || o.maskless
	n.least = n.least || o.least
	n.ctaidz, n.reserved, n.launches = n.ctaidz || o.ctaidz, n.reserved || o.reserved, n.launches || o.launches
}

// findNeeds computes the need of every component.
func (c *check) findNeeds() error {
	g := c.graph
	c.needs = make([]need, len(g.groups))
	all := need{known: true}
	for i, members := range g.groups {
		n, steps := c.groupNeed(int32(i), members)
		c.needs[i] = n
		if err := c.budget.spend("", steps); err != nil {
			return err
		}
	}
	for _, f := range g.functions {
		if f.live {
			own := c.ownNeed(f)
			all.more(&own)
			all.externs = append(all.externs, own.externs...)
		}
	}
	slices.Sort(all.externs)
	all.externs = slices.Compact(all.externs)
	c.allNeed = all
	return nil
}

func (c *check) groupNeed(group int32, members []int32) (n need, steps uint64) {
	g := c.graph
	n.known = true
	cycle := len(members) > 1
	var below []int32 // components that it calls, each once
	for _, x := range members {
		for _, y := range g.next[x] {
			steps++
			if g.group[y] == group {
				cycle = true
			} else {
				below = append(below, g.group[y])
			}
		}
	}
	slices.Sort(below)
	below = slices.Compact(below)
	for _, y := range below {
		n.more(&c.needs[y])
		if n.externs == nil {
			n.externs = c.needs[y].externs
		} else if len(c.needs[y].externs) > 0 {
			steps += uint64(len(n.externs) + len(c.needs[y].externs))
			n.externs = union(n.externs, c.needs[y].externs)
		}
	}
	n.below = n.barriers
	waiting := c.waitingBelow(below)
	steps += uint64(len(waiting))
	var own []string
	path := need{}
	for _, x := range members {
		steps++
		if int(x) >= len(g.functions) {
			n.least = n.least || g.maybe[x] && !c.options.Strict
			continue
		}
		o := c.ownNeed(g.functions[x])
		path.stack, path.crs, path.mbarriers = path.stack+o.stack, path.crs+o.crs, path.mbarriers+o.mbarriers
		if o.mbarriers > 0 {
			waiting = append(waiting, x)
		}
		o.stack, o.crs, o.mbarriers = 0, 0, 0
		n.more(&o)
		own = append(own, o.externs...)
	}
	n.stack, n.crs, n.mbarriers = n.stack+path.stack, n.crs+path.crs, n.mbarriers+path.mbarriers
	c.sumWaiting(&n, waiting)
	n.known = n.known && !cycle
	if len(own) > 0 {
		slices.Sort(own)
		steps += uint64(len(n.externs) + len(own))
		n.externs = union(n.externs, own)
	}
	return n, steps
}

// manyWaiting is how many functions with transaction barriers are counted one by one.
const manyWaiting = 256

// waitingBelow are the functions with transaction barriers that components reach, each
// once.
func (c *check) waitingBelow(below []int32) []int32 {
	var list []int32
	for _, y := range below {
		switch w := c.needs[y].waiting; {
		case list == nil:
			list = slices.Clip(w)
		case len(w) > 0:
			list = slices.Concat(list, w)
			slices.Sort(list)
			list = slices.Clip(slices.Compact(list))
		}
	}
	return list
}

// sumWaiting counts the barriers of some functions; of too many the longest path stays.
func (c *check) sumWaiting(n *need, waiting []int32) {
	slices.Sort(waiting)
	if n.many = n.many || len(waiting) > manyWaiting; n.many {
		return
	}
	n.waiting, n.mbarriers = waiting, 0
	for _, x := range waiting {
		own := c.ownNeed(c.graph.functions[x])
		n.mbarriers += own.mbarriers
	}
}

// union joins two sorted lists.
func union(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}

// needOf is what a function and all it may call ask for.
func (c *check) needOf(f *identity) *need { return &c.needs[c.graph.group[f.node]] }

// attributes are the records of .nv.info.<function>.
func (b *body) attributes() []attribute { return b.mod.infoOf[b.section.index] }

// attribute returns the value of the first record of an attribute in the list
// of a body.
func (b *body) attribute(attr cuda.InfoAttr) ([]byte, bool) {
	for _, a := range b.attributes() {
		if a.attr == attr {
			return a.value, true
		}
	}
	return nil, false
}

// moduleFact returns the number that the module's .nv.info gives for a
// function: its frame, stack or registers. What an earlier link calls by a second name
// has them under the first.
func (b *body) moduleFact(attr cuda.InfoAttr) (uint32, bool) {
	if b.owner == nil {
		return 0, false
	}
	facts := b.mod.factsOf(attr)
	if n, ok := facts[b.owner]; ok {
		return n, true
	}
	for _, id := range b.names {
		if n, ok := facts[id]; ok {
			return n, true
		}
	}
	return 0, false
}

// factsOf indexes the module's .nv.info: for each function the first number
// that an attribute gives.
func (m *module) factsOf(attr cuda.InfoAttr) map[*identity]uint32 {
	if m.facts == nil {
		m.facts = map[cuda.InfoAttr]map[*identity]uint32{}
		for _, i := range m.infoSections {
			if m.sections[i].info != 0 {
				continue
			}
			for _, a := range m.infos[i] {
				if len(a.value) < 8 || int(word(a.value, 0)) >= len(m.refs) {
					continue
				}
				id := m.refs[word(a.value, 0)].id
				if id == nil {
					continue
				}
				if m.facts[a.attr] == nil {
					m.facts[a.attr] = map[*identity]uint32{}
				}
				if _, twice := m.facts[a.attr][id]; !twice {
					m.facts[a.attr][id] = word(a.value, 4)
				}
			}
		}
	}
	return m.facts[attr]
}

// barrierCount is the number of barriers of a function: the attribute, in
// older objects the bits of the section flags.
func (b *body) barrierCount() uint64 {
	if v, ok := b.attribute(cuda.AttrNumBarriers); ok {
		return number(v, 0, 1)
	}
	return uint64(b.section.flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)
}

// registerByte is the register count in the sh_info of code. 11.8 writes there
// what a kernel owes to others, the later releases leave its own.
func (c *check) registerByte(b *body) uint32 {
	own := registersOf(b.section.info)
	if c.release >= 124 || b.owner == nil || !b.kernel() {
		return own
	}
	if a := b.area; !b.owner.asked && a != nil && a.out != nil && registersOf(a.out.info) == own {
		return own // it stays with --preserve-relocs, and what it calls counts for nothing
	}
	mine, _ := b.moduleFact(cuda.AttrRegcount)
	if most := c.needOf(b.owner).registers; most > mine {
		return most
	}
	return own
}

// barriers is the number of barriers in the flags of code: for a kernel the
// most of what it reaches.
func (c *check) barriers(b *body) uint64 {
	if b.kernel() && b.owner != nil {
		return c.needOf(b.owner).flagged
	}
	return uint64(b.section.flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)
}
