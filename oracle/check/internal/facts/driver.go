package facts

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// What may be told of a function that is called as one of the driver's: nvlink takes it for a kernel.
// What it tells is no matter to a launch, but it must be true.

// driverStacks are the stacks of such functions, which may be told.
func (c *check) driverStacks(list []link.Fact) []link.Fact {
	for _, f := range c.Graph.Functions {
		if f.Live && f.LikeDriver() {
			stack := c.asOtherSide(minStack(f, c.NeedOf(f)))
			stack.Optional = true
			list = append(list, stack)
		}
	}
	return list
}

// driverRegisters lets such a function have the registers of what it reaches.
func (c *check) driverRegisters(f link.Fact) link.Fact {
	n := c.NeedOf(f.Key.ID)
	if own := image.Number([]byte(f.Rest), 0, 4); uint64(n.Registers) > own {
		f.Also = append(slices.Clip(f.Also), sass.BytesOf(n.Registers))
	}
	return f
}

// asKernel lets such a function have a kernel's values in place of its own, and what only a kernel has. nvlink
// doesn't charge it with all code of the link as it does an only kernel.
func (c *check) asKernel(own []link.Fact, b *link.Body) []link.Fact {
	list := c.kernelFacts(slices.Clone(own), b, false)
	for i := range list {
		f := &list[i]
		switch value, has := ownValue(own, f); {
		case !has:
			f.Optional = true
		case f.Rest != value:
			f.Also = append(slices.Clip(f.Also), value)
		}
	}
	return list
}

// asKernelOf reports whether a kernel's values are right of code too.
func (c *check) asKernelOf(b *link.Body) bool {
	return !c.Relocatable && b.Owner.LikeDriver()
}

// driverExterns lets such a function name what it reaches.
func (c *check) driverExterns(b *link.Body, own []string) link.Fact {
	slices.Sort(own)
	f := link.Fact{Format: cuda.FormatSized, Attr: cuda.AttrExterns, About: strings.Join(own, " "), File: b.Mod.Name, Optional: len(own) == 0}
	f.Also = append(f.Also, strings.Join(c.NeedOf(b.Owner).Externs, " "))
	return f
}
