package cubin

import "github.com/twinlink/twinlink/cuda"

// .nv.callgraph is a list of pairs, cut by markers {0, kind} into groups; what
// the words of a pair are depends on its group:
//
//	0 ffffffff    caller, callee             call
//	0 fffffffe    function, string offset    address taken, its prototype
//	0 fffffffd    caller, string offset      call through that prototype
//	0 fffffffc    function, function         takes the other's address (12.x on)
//
// Functions are symbol numbers, strings are in the string table of the
// symbols. A group may come twice, and be empty.
//
// Source: cubins of ptxas and nvlink 11.8.89 to 13.5.37.

// CallGroup is the pairs after one marker.
type CallGroup struct {
	Kind  uint32 // cuda.CallgraphCalls ...
	Pairs []Pair
}

// NamesString reports whether the second word of the group's pairs is the
// offset of a prototype.
func (g *CallGroup) NamesString() bool {
	return g.Kind == cuda.CallgraphPrototypes || g.Kind == cuda.CallgraphIndirect
}

// IsCallgraph reports whether sections of a type hold a call graph.
func IsCallgraph(t cuda.SectionType) bool {
	return t == cuda.SHTCudaCallgraph || t == cuda.SHTMercCallgraph
}

// IsPrototype reports whether sections of a type hold {function, offset of its
// prototype}.
func IsPrototype(t cuda.SectionType) bool {
	return t == cuda.SHTCudaPrototype || t == cuda.SHTMercPrototype
}

// Callgraph returns the groups of .nv.callgraph.
func (d *Editor) Callgraph(i int) ([]CallGroup, error) {
	pairs, err := d.Pairs(i)
	if err != nil {
		return nil, err
	}
	var groups []CallGroup
	for k, p := range pairs {
		switch {
		case p.X == 0:
			groups = append(groups, CallGroup{Kind: p.Y})
		case len(groups) == 0:
			return nil, d.src.fault(BadRecord, d.SectionName(i), uint64(k)*pairSize, uint64(p.X), "a pair before the first marker")
		default:
			g := &groups[len(groups)-1]
			g.Pairs = append(g.Pairs, p)
		}
	}
	return groups, nil
}

// SetCallgraph replaces the groups.
func (d *Editor) SetCallgraph(i int, groups []CallGroup) error {
	var pairs []Pair
	for _, g := range groups {
		pairs = append(append(pairs, Pair{0, g.Kind}), g.Pairs...)
	}
	return d.SetPairs(i, pairs)
}
