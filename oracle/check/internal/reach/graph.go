package reach

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// What calls what, and what stays.
//
// A module's .nv.callgraph names direct calls, functions whose address is
// taken with their prototype, indirect calls with the prototype they go
// through, and which function takes whose address. Prototypes are strings, and
// an indirect call may reach every function of an equal one. In the graph a
// prototype is a node of its own, so that many callers through it and many
// functions of it cost their sum and not their product.
//
// What a kernel reaches must be in the output, and functions whose address is
// taken. What nothing reaches may be.
//
// For sm_107 the SASS side reads textures and surfaces by calls of the driver. nvlink
// counts an address that is taken as a call there.
//
// Source: links of call programs by nvlink 11.8.89 to 13.0.88, for sm_107 by 13.4 and
// 13.5.37.

// ReadCalls reads the call graphs of the inputs.
func (c *Reach) ReadCalls() error {
	c.AlsoNamed = map[*link.Identity][]string{}
	for _, m := range c.Modules {
		for _, p := range m.Pairs {
			if err := c.readCall(m, p); err != nil {
				return err
			}
		}
		c.DriverReads = c.DriverReads || m.CallsApart()
		for _, p := range m.Protos {
			x, err := c.caller(m, p.X)
			if err != nil {
				return err
			}
			name, _ := image.Text(m.Strings(), uint64(p.Y))
			if err := c.Budget.Spend(m.Name, uint64(len(name))/16); err != nil {
				return err
			}
			if x != nil && !x.Typed && c.speaks(m, x) {
				if x.Code == nil && x.Prototype != "" && x.Prototype != name {
					c.AlsoNamed[x] = append(c.AlsoNamed[x], x.Prototype)
				}
				x.Prototype = name
			} else if x != nil {
				x.MayTell(name)
			}
		}
	}
	return nil
}

func (c *Reach) readCall(m *link.Module, p image.Pair) error {
	x, err := c.caller(m, p.X)
	if err != nil || x == nil {
		return err
	}
	switch p.Heading {
	case cuda.CallgraphCalls, cuda.CallgraphEdges:
		y, err := c.caller(m, p.Y)
		if err != nil || y == nil {
			return err
		}
		switch edges := p.Heading == cuda.CallgraphEdges; {
		case !c.speaks(m, x):
			x.MayCall.Add(y)
		case edges:
			// The taker's word counts even where the prototype comes from a
			// definition that lost.
			x.Edges.Add(y)
			y.Taken = true
		default:
			x.Calls.Add(y)
		}
	case cuda.CallgraphPrototypes:
		name, err := c.prototypeName(m, p.Y)
		if err != nil {
			return err
		}
		if !c.speaks(m, x) && !c.pointsTo(m, x) {
			x.MayTell(name)
			return nil
		}
		if !x.Typed {
			x.Prototype = name
		}
		x.Taken, x.Typed = true, true
	case cuda.CallgraphIndirect:
		name, err := c.prototypeName(m, p.Y)
		if err != nil {
			return err
		}
		if !c.speaks(m, x) {
			x.MayTell(name)
			return nil
		}
		x.Indirect = append(x.Indirect, name)
	}
	return nil
}

func (c *Reach) prototypeName(m *link.Module, at uint32) (string, error) {
	name, _ := image.Text(m.Strings(), uint64(at))
	return name, c.Budget.Spend(m.Name, uint64(len(name))/16)
}

// speaks reports whether a module's word about a function counts: where there are
// several definitions only that of the one that is kept. What the others say may be
// there: nvlink drops it or not by the order of the inputs.
func (c *Reach) speaks(m *link.Module, x *link.Identity) bool {
	return !m.Silent[x] && (!x.Several || x.Code == nil || x.Code.Mod == m)
}

// pointsTo reports whether data of a module that is there to stay holds the address of
// a function: whoever's definition won, it must be there, and whoever calls through
// its prototype may reach it. nvlink forgets it where the module's own definition lost.
func (c *Reach) pointsTo(m *link.Module, x *link.Identity) bool {
	if m.Pointers == nil {
		m.Pointers = map[*link.Identity]bool{}
		for _, list := range m.Relocs {
			s := &m.Sections[list.Target]
			if s.Flags&cuda.SHFAlloc == 0 || link.IsCode(s) || m.OwnerOf(s) != nil {
				continue
			}
			for _, r := range list.List {
				if id := m.Refs[r.Symbol].ID; id != nil && id.Function() && !c.AboutLoser(m, list.Target, r) {
					m.Pointers[id] = true
				}
			}
		}
	}
	return m.Pointers[x]
}

func (c *Reach) caller(m *link.Module, index uint32) (*link.Identity, error) {
	if int(index) >= len(m.Refs) {
		return nil, &verdict.Refusal{Kind: verdict.BadRecords, File: m.Name, Section: ".nv.callgraph", Value: uint64(index)}
	}
	return m.Refs[index].ID, nil
}

// graph has a node for each function, and after those one for each prototype.
type graph struct {
	Functions []*link.Identity
	Next      [][]int32      // what a node may call
	before    [][]int32      // the same backwards
	Group     []int32        // strongly connected component of a node
	Groups    [][]int32      // their members, those that call nothing first
	maybe     map[int32]bool // prototypes that a definition which lost gives a function
	seen      []int32        // marks of walks
	mark      int32
}

func (c *Reach) makeGraph() error {
	g := &graph{}
	c.Graph = g
	for _, f := range c.IDs {
		if f.Function() {
			f.Node = int32(len(g.Functions))
			g.Functions = append(g.Functions, f)
		}
	}
	prototypes := map[string]int32{}
	g.Next = make([][]int32, len(g.Functions))
	edges := 0
	nodeOf := func(prototype string) int32 {
		n, known := prototypes[prototype]
		if !known {
			n = int32(len(g.Next))
			prototypes[prototype] = n
			g.Next = append(g.Next, nil)
		}
		return n
	}
	for _, f := range g.Functions {
		if f.Taken {
			n := nodeOf(f.Prototype)
			g.Next[n] = append(g.Next[n], f.Node)
			c.Takers[f.Prototype] = append(c.Takers[f.Prototype], f)
			edges++
		}
		for _, y := range f.Calls.List {
			if y.Function() {
				g.Next[f.Node] = append(g.Next[f.Node], y.Node)
				edges++
			}
		}
		for _, prototype := range f.Indirect {
			g.Next[f.Node] = append(g.Next[f.Node], nodeOf(prototype))
			edges++
		}
	}
	g.maybe = map[int32]bool{}
	for _, f := range g.Functions {
		for prototype := range f.MayName {
			if n, known := prototypes[prototype]; known {
				g.maybe[n] = true
			}
		}
	}
	g.before = make([][]int32, len(g.Next))
	for x, list := range g.Next {
		for _, y := range list {
			g.before[y] = append(g.before[y], int32(x))
		}
	}
	g.seen = make([]int32, len(g.Next))
	g.components()
	return c.Budget.Spend("", uint64(len(g.Next)+edges))
}

// components finds the strongly connected components (Tarjan), with a stack of
// its own: a chain of calls may be as long as the program.
func (g *graph) components() {
	n := len(g.Next)
	g.Group = make([]int32, n)
	index, low := make([]int32, n), make([]int32, n)
	type frame struct{ node, edge int32 }
	var open []int32
	var walk []frame
	count := int32(0)
	for root := range int32(n) {
		if index[root] != 0 {
			continue
		}
		walk = append(walk, frame{root, 0})
		for len(walk) > 0 {
			f := &walk[len(walk)-1]
			x := f.node
			if f.edge == 0 {
				count++
				index[x], low[x] = count, count
				open = append(open, x)
			}
			if int(f.edge) < len(g.Next[x]) {
				y := g.Next[x][f.edge]
				f.edge++
				if index[y] == 0 {
					walk = append(walk, frame{y, 0})
				} else if index[y] > 0 {
					low[x] = min(low[x], index[y])
				}
				continue
			}
			walk = walk[:len(walk)-1]
			if len(walk) > 0 {
				up := walk[len(walk)-1].node
				low[up] = min(low[up], low[x])
			}
			if low[x] != index[x] {
				continue
			}
			var members []int32
			for {
				y := open[len(open)-1]
				open = open[:len(open)-1]
				index[y] = -1 // done: no longer open
				g.Group[y] = int32(len(g.Groups))
				members = append(members, y)
				if y == x {
					break
				}
			}
			g.Groups = append(g.Groups, members)
		}
	}
}

// Walk visits every node that some of the nodes reach along the edges.
func (g *graph) Walk(from []int32, edges [][]int32, visit func(int32)) (steps uint64) {
	g.mark++
	list := slices.Clone(from)
	for _, x := range list {
		g.seen[x] = g.mark
	}
	for i := 0; i < len(list); i++ {
		visit(list[i])
		for _, y := range edges[list[i]] {
			steps++
			if g.seen[y] != g.mark {
				g.seen[y] = g.mark
				list = append(list, y)
			}
		}
	}
	return steps + uint64(len(list))
}
