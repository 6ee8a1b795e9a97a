package merge

import (
	"slices"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// addCallee adds a CALL edge unless it is there.
func (l *merger) addCallee(f, g model.FunID) {
	l.addUnlessThere(&l.Funs[f].Callees, edge{f, g, false, l.Funs[f].Replaced})
}

// addEdge adds a function-pointer edge unless it is there.
func (l *merger) addEdge(f, g model.FunID) {
	l.addUnlessThere(&l.Funs[f].Edges, edge{f, g, true, l.Funs[f].Replaced})
}

type edge struct {
	from, to model.FunID
	pointer  bool
	replaced int32
}

// addUnlessThere appends an edge. Short lists are searched; long ones go
// through a set.
func (l *merger) addUnlessThere(c *model.Calls, e edge) {
	const long = 128
	own := c.List[c.Since:]
	if l.IsRelocatable() {
		own, e.replaced = c.List, 0 // also among those of a definition that was replaced
	}
	if len(own) < long {
		if !slices.Contains(own, e.to) {
			if c.List == nil {
				c.List = l.callLists.List(4)
			}
			c.List = append(c.List, e.to)
		}
		return
	}
	if l.longEdges == nil {
		l.longEdges = make(map[edge]bool)
	}
	if len(own) == long {
		for _, g := range own {
			l.longEdges[edge{e.from, g, e.pointer, e.replaced}] = true
		}
	}
	if !l.longEdges[e] {
		l.longEdges[e] = true
		c.List = append(c.List, e.to)
	}
}
