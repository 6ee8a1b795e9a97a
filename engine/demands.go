package engine

import (
	"github.com/twinlink/twinlink/cuda"
)

// What code asks of the kernels that reach it: registers, barriers, stack, and
// a few marks.

// facts are the demands of a component and everything it reaches.
type facts struct {
	regs     uint32
	barriers uint32
	depth    uint64 // deepest frames, meaningless where a cycle is reachable
	crs      int64
	marks    uint8
	sparse   uint16 // SPARSE_MMA_MASK

	mbarriers uint32 // NUM_MBARRIERS of the function alone: they add up
}

// add takes the demands of another function that the same kernel answers for,
// stack apart.
func (f *facts) add(g *facts) {
	f.regs = max(f.regs, g.regs)
	f.barriers = max(f.barriers, g.barriers)
	f.marks |= g.marks
	f.sparse |= g.sparse
}

const (
	markCtaidz = 1 << iota
	markReservedSmem
	markBarriers
	markMbarriers
	markUndefined
)

// unknownStack is the stack size of a kernel that reaches a cycle.
const unknownStack = 0xffffffff

// ownFacts reads what a function itself asks for.
func (l *linker) ownFacts(id funID) facts {
	f := &l.funs[id]
	own := facts{regs: f.regs, depth: uint64(f.frame), barriers: f.barriers}
	if f.text != absent {
		flags := l.secs[f.text].flags
		own.barriers = max(own.barriers, uint32(flags&cuda.SHFBarrierMask>>cuda.SHFBarrierShift))
	}
	if own.barriers > 0 {
		own.marks |= markBarriers
	}
	if f.info == absent {
		if f.text != absent && l.arch.sm >= 90 && l.prof.infoLink {
			own.sparse = sparseUnknown
		}
		return own
	}
	records, added := l.secs[f.info].records(), l.secs[f.info].added()
	for i := range records {
		r := &records[i]
		switch r.attr {
		case cuda.AttrNumMbarriers:
			own.mbarriers = uint32(r.value)
			own.marks |= markMbarriers
		case cuda.AttrCrsStackSize:
			own.crs = int64(int32(r.word(0)))
		case cuda.AttrNumBarriers:
			own.barriers = max(own.barriers, uint32(r.value&0xff))
			own.marks |= markBarriers
		case cuda.AttrCtaidzUsed:
			own.marks |= markCtaidz
		case cuda.AttrReservedSmemUsed:
			own.marks |= markReservedSmem
		case cuda.AttrSparseMmaMask:
			own.sparse |= r.value
		case cuda.AttrExterns:
			own.marks |= markUndefined
		}
	}
	for i := range added {
		if r := &added[i]; r.attr == cuda.AttrSparseMmaMask {
			own.sparse |= r.value
		}
	}
	return own
}

// reachFacts computes the facts of every component, callees first.
func (l *linker) reachFacts() []facts {
	g := l.graph
	byComp := make([][]int32, len(g.cyclic))
	for node, c := range g.comp {
		byComp[c] = append(byComp[c], int32(node))
	}
	all := make([]facts, len(g.cyclic))
	for c, nodes := range byComp {
		sum := &all[c]
		var below facts
		for _, node := range nodes {
			own := facts{}
			if int(node) < g.funcs {
				own = l.asks[node]
			}
			sum.add(&own)
			sum.depth = max(sum.depth, own.depth)
			sum.crs = max(sum.crs, own.crs)
			for i := 0; ; i++ {
				w := l.successor(node, i)
				if w < 0 {
					break
				}
				if g.comp[w] == int32(c) {
					continue
				}
				callee := &all[g.comp[w]]
				sum.add(callee)
				below.depth = max(below.depth, callee.depth)
				below.crs = max(below.crs, callee.crs)
			}
		}
		sum.depth += below.depth
		sum.crs += below.crs
	}
	return all
}
