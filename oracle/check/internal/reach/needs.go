package reach

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
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

// Need is what a function and all it may call ask for.
type Need struct {
	Known      bool // false: a cycle can be reached
	Stack, Crs uint64
	Mbarriers  uint64  // transaction barriers of all functions
	waiting    []int32 // the nodes that have some, sorted; nil and many: more than manyWaiting
	Many       bool    // mbarriers is no more than the least
	Waits      bool    // some function says how many it has, be it none
	Registers  uint32
	Barriers   uint64
	Below      uint64 // barriers without the function's own
	flagged    uint64 // barriers in the flags of code, up to 12.x
	Sparse     uint64 // mask of sparse matrix instructions
	Maskless   bool   // some code has no such mask
	Ctaidz     bool
	Reserved   bool // reserved shared memory
	Launches   bool // kernels through the old interface
	Least      bool // some function has several definitions, whose needs nvlink may count as well
	Takes      bool // some function takes an address, and nvlink counts that as a call
	Tensor     sass.TensorNeed
	Externs    []string
}

// Unbounded is the stack of what calls itself.
const Unbounded = 1<<32 - 1

// OwnNeed is what a function asks for itself. Of a kernel that holds functions which call themselves its object says that.
func (c *Reach) OwnNeed(f *link.Identity) Need {
	n := Need{Known: true, Least: f.Several && !c.Options.Strict, Takes: c.DriverReads && len(f.Edges.List) > 0}
	if f.Code == nil {
		n.Launches = strings.HasPrefix(f.Name, "cnp")
		return n
	}
	b := f.Code
	n.Registers, _ = b.ModuleFact(cuda.AttrRegcount)
	n.Barriers, n.flagged = b.BarrierCount(), uint64(b.Section.Flags&cuda.SHFBarrierMask>>cuda.SHFBarrierShift)
	for _, a := range b.Attributes() {
		switch a.Attr {
		case cuda.AttrCrsStackSize:
			if f.First() == f {
				n.Crs = image.Number(a.Value, 0, 4)
			}
		case cuda.AttrNumMbarriers:
			if f.First() == f {
				n.Mbarriers, n.Waits = image.Number(a.Value, 0, 2), true
			}
		case cuda.AttrSparseMmaMask:
			n.Sparse |= image.Number(a.Value, 0, 2)
		case cuda.AttrCtaidzUsed:
			n.Ctaidz = true
		case cuda.AttrReservedSmemUsed:
			n.Reserved = true
		}
		n.Tensor.Add(a)
	}
	_, masked := b.Attribute(cuda.AttrSparseMmaMask)
	n.Maskless = !masked
	for _, name := range b.Names {
		if name.Live && name.First() != name && name.Def.Value == 0 {
			n.Sparse |= link.SecondNameMask
		}
	}
	if f.First() == f {
		frame, _ := b.ModuleFact(cuda.AttrFrameSize)
		n.Stack = uint64(frame)
		least, _ := b.ModuleFact(cuda.AttrMinStackSize)
		n.Known = least != Unbounded
	}
	n.Externs = c.Externs(b)
	return n
}

// more joins what two ask for that are not on one path.
func (n *Need) more(o *Need) {
	n.Stack, n.Crs, n.Mbarriers = max(n.Stack, o.Stack), max(n.Crs, o.Crs), max(n.Mbarriers, o.Mbarriers)
	n.Many, n.Waits = n.Many || o.Many, n.Waits || o.Waits
	n.Tensor.More(&o.Tensor)
	n.Known = n.Known && o.Known
	n.Registers, n.Barriers, n.flagged = max(n.Registers, o.Registers), max(n.Barriers, o.Barriers), max(n.flagged, o.flagged)
	n.Sparse |= o.Sparse
	n.Maskless = n.Maskless || o.Maskless
	n.Least, n.Takes = n.Least || o.Least, n.Takes || o.Takes
	n.Ctaidz, n.Reserved, n.Launches = n.Ctaidz || o.Ctaidz, n.Reserved || o.Reserved, n.Launches || o.Launches
}

// FindNeeds computes the need of every component.
func (c *Reach) FindNeeds() error {
	g := c.Graph
	c.needs = make([]Need, len(g.Groups))
	all := Need{Known: true}
	for i, members := range g.Groups {
		n, steps := c.groupNeed(int32(i), members)
		c.needs[i] = n
		if err := c.Budget.Spend("", steps); err != nil {
			return err
		}
	}
	for _, f := range g.Functions {
		if f.Live {
			own := c.OwnNeed(f)
			all.more(&own)
			all.Externs = append(all.Externs, own.Externs...)
		}
	}
	slices.Sort(all.Externs)
	all.Externs = slices.Compact(all.Externs)
	c.AllNeed = all
	for _, m := range c.Modules {
		c.MostRegister = max(c.MostRegister, m.MostRegisters())
		for _, b := range m.Bodies {
			c.MostBarriers = max(c.MostBarriers, b.BarrierCount())
		}
	}
	return nil
}

func (c *Reach) groupNeed(group int32, members []int32) (n Need, steps uint64) {
	g := c.Graph
	n.Known = true
	cycle := len(members) > 1
	var below []int32 // components that it calls, each once
	for _, x := range members {
		for _, y := range g.Next[x] {
			steps++
			if g.Group[y] == group {
				cycle = true
			} else {
				below = append(below, g.Group[y])
			}
		}
	}
	slices.Sort(below)
	below = slices.Compact(below)
	for _, y := range below {
		n.more(&c.needs[y])
		if n.Externs == nil {
			n.Externs = c.needs[y].Externs
		} else if len(c.needs[y].Externs) > 0 {
			steps += uint64(len(n.Externs) + len(c.needs[y].Externs))
			n.Externs = union(n.Externs, c.needs[y].Externs)
		}
	}
	n.Below = n.Barriers
	waiting := c.waitingBelow(below)
	steps += uint64(len(waiting))
	var own []string
	path := Need{}
	for _, x := range members {
		steps++
		if int(x) >= len(g.Functions) {
			n.Least = n.Least || g.maybe[x] && !c.Options.Strict
			continue
		}
		o := c.OwnNeed(g.Functions[x])
		path.Stack, path.Crs, path.Mbarriers = path.Stack+o.Stack, path.Crs+o.Crs, path.Mbarriers+o.Mbarriers
		if o.Mbarriers > 0 {
			waiting = append(waiting, x)
		}
		o.Stack, o.Crs, o.Mbarriers = 0, 0, 0
		n.more(&o)
		own = append(own, o.Externs...)
	}
	n.Stack, n.Crs, n.Mbarriers = n.Stack+path.Stack, n.Crs+path.Crs, n.Mbarriers+path.Mbarriers
	c.sumWaiting(&n, waiting)
	n.Known = n.Known && !cycle
	if len(own) > 0 {
		slices.Sort(own)
		steps += uint64(len(n.Externs) + len(own))
		n.Externs = union(n.Externs, own)
	}
	return n, steps
}

// manyWaiting is how many functions with transaction barriers are counted one by one.
const manyWaiting = 256

// waitingBelow are the functions with transaction barriers that components reach, each
// once.
func (c *Reach) waitingBelow(below []int32) []int32 {
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
func (c *Reach) sumWaiting(n *Need, waiting []int32) {
	slices.Sort(waiting)
	if n.Many = n.Many || len(waiting) > manyWaiting; n.Many {
		return
	}
	n.waiting, n.Mbarriers = waiting, 0
	for _, x := range waiting {
		own := c.OwnNeed(c.Graph.Functions[x])
		n.Mbarriers += own.Mbarriers
	}
}

// union joins two sorted lists.
func union(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}

// NeedOf is what a function and all it may call ask for.
func (c *Reach) NeedOf(f *link.Identity) *Need { return &c.needs[c.Graph.Group[f.Node]] }

// RegisterByte is the register count in the sh_info of code. 11.8 writes there
// what a kernel owes to others, the later releases leave its own.
func (c *Reach) RegisterByte(b *link.Body) uint32 {
	own := link.RegistersOf(b.Section.Info)
	if c.Release >= 124 || b.Owner == nil || !b.Kernel() && !b.Owner.LikeDriver() {
		return own
	}
	if a := b.Area; !b.Owner.Asked && a != nil && a.Out != nil && link.RegistersOf(a.Out.Info) == own {
		return own // it stays with --preserve-relocs, and what it calls counts for nothing
	}
	mine, _ := b.ModuleFact(cuda.AttrRegcount)
	if most := c.NeedOf(b.Owner).Registers; most > mine {
		return most
	}
	return own
}

// Barriers is the number of barriers in the flags of code: for a kernel the
// most of what it reaches.
func (c *Reach) Barriers(b *link.Body) uint64 {
	if b.Kernel() && b.Owner != nil {
		return c.NeedOf(b.Owner).flagged
	}
	return uint64(b.Section.Flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)
}

// FlaggedBelow is the most that flags of code say which a function reaches.
func (c *Reach) FlaggedBelow(b *link.Body) uint64 {
	if b.Owner == nil {
		return 0
	}
	return c.NeedOf(b.Owner).flagged
}
