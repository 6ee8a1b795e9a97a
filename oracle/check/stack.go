package check

import "github.com/twinlink/twinlink/cuda"

// How deep the stack may get.
//
// A function needs its own frame and the deepest need among what it may call.
// Where a cycle can be reached nobody knows, and the attribute is all ones.
// The stack of the call-return-sync mechanism is summed the same way.
//
// Source: links of call programs by nvlink 11.8.89 to 13.0.88.

// need is what a function and all it may call ask for.
type need struct {
	known      bool // false: a cycle can be reached
	stack, crs uint64
	barriers   uint64 // transaction barriers
}

// needs computes the need of every function, those that call nothing first.
func (c *check) needs() (map[*identity]need, error) {
	callers := map[*identity][]*identity{}
	open := map[*identity]int{}
	var ready []*identity
	for _, f := range c.ids {
		if !f.function() {
			continue
		}
		c.calls(f, func(y *identity) {
			c.steps++
			open[f]++
			callers[y] = append(callers[y], f)
		})
		if open[f] == 0 {
			ready = append(ready, f)
		}
		if err := c.paySteps(); err != nil {
			return nil, err
		}
	}
	all := map[*identity]need{}
	for ; len(ready) > 0; ready = ready[1:] {
		f := ready[0]
		n := need{known: true}
		c.calls(f, func(y *identity) {
			n.stack, n.crs, n.barriers = max(n.stack, all[y].stack), max(n.crs, all[y].crs), max(n.barriers, all[y].barriers)
		})
		if f.code != nil && f.first() == f {
			frame, _ := f.code.moduleFact(cuda.AttrFrameSize)
			n.stack += uint64(frame)
			if own, ok := f.code.attribute(cuda.AttrCrsStackSize); ok {
				n.crs += number(own, 0, 4)
			}
			own, _ := f.code.attribute(cuda.AttrNumMbarriers)
			n.barriers += number(own, 0, 2)
		}
		all[f] = n
		for _, x := range callers[f] {
			if open[x]--; open[x] == 0 {
				ready = append(ready, x)
			}
		}
	}
	return all, nil
}

// barriersFrom is how many transaction barriers a path of calls from a function
// may need. Those of a cycle count once each.
func (c *check) barriersFrom(f *identity, needs map[*identity]need) uint64 {
	if n, known := needs[f]; known {
		return n.barriers
	}
	cycle, most := uint64(0), uint64(0)
	for _, g := range c.reach(f) {
		if n, known := needs[g]; known {
			most = max(most, n.barriers)
		} else if g.code != nil {
			own, _ := g.code.attribute(cuda.AttrNumMbarriers)
			cycle += number(own, 0, 2)
		}
	}
	return cycle + most
}

// paySteps takes the steps counted so far from the budget.
func (c *check) paySteps() error {
	n := c.steps
	c.steps = 0
	return c.budget.spend("", n)
}
