package selfcheck

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The call graph and the prototypes have no Mercury clone up to 13.2. What can
// be checked of them is that numbers name functions and strings: pairs of two
// functions, or of a function and the position of a prototype in the string table.

func (c *checker) callgraphs() {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		switch {
		case s.Mercury():
		case s.Type == cuda.SHTCudaCallgraph:
			c.callgraph(i, s)
		case s.Type == cuda.SHTCudaPrototype:
			c.pairs(s, func(at uint64, p cubin.Pair) {
				c.functionNumber(i, at, p.X)
				c.prototypeOffset(i, at+4, p.Y)
			})
		}
	}
}

func (c *checker) pairs(s *capsule.Section, f func(at uint64, p cubin.Pair)) {
	n, err := c.m.File.Pairs(&s.Section)
	if err != nil {
		c.fault(err)
		return
	}
	for k := range n {
		f(uint64(k)*8, c.m.File.Pair(&s.Section, k))
	}
}

// callgraph checks a call graph, whose groups begin with marks: three, and a fourth from 12.x on, in order.
func (c *checker) callgraph(i int, s *capsule.Section) {
	group := uint32(0)
	c.pairs(s, func(at uint64, p cubin.Pair) {
		switch {
		case p.X == 0 && p.Y >= cuda.CallgraphEdges:
			if p.Y != group-1 {
				c.add(Text, Content, i, at+4, "mark of the call graph", hex(group-1), hex(p.Y))
			}
			group = p.Y
			return
		case p.X == 0 || group == 0:
			c.add(Text, Content, i, at, "pair of the call graph", "a group's mark, or two numbers in a group", fmt.Sprint(p.X, " ", p.Y))
			return
		}
		c.functionNumber(i, at, p.X)
		if g := (cubin.CallGroup{Kind: group}); g.NamesString() {
			c.prototypeOffset(i, at+4, p.Y)
		} else {
			c.functionNumber(i, at+4, p.Y)
		}
	})
	if group == 0 || group > cuda.CallgraphIndirect {
		c.add(Text, Count, i, 0, "marks of the call graph", "three or four", "less")
	}
}

func (c *checker) functionNumber(section int, at uint64, n uint32) {
	if s := c.m.SASS.At(n); s == nil || s.Type() != cuda.STTFunc {
		c.add(Text, Content, section, at, "number of a function", "one of a function", fmt.Sprint(n))
	}
}

// prototypeOffset checks that a string begins at an offset; 0 stands for none.
func (c *checker) prototypeOffset(section int, at uint64, off uint32) {
	if c.m.SASS.Index == 0 || off == 0 {
		return
	}
	link := c.m.Sections[c.m.SASS.Index].Link
	names := c.m.Sections[link].Content
	if uint64(off) >= uint64(len(names)) || names[off-1] != 0 || bytes.IndexByte(names[off:], 0) <= 0 {
		c.add(Text, Content, section, at, "position of a prototype", "the start of a string", hex(off))
	}
}
