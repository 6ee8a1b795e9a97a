package resources

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// What code asks of the kernels that reach it: registers, barriers, stack, and
// a few marks.

// demands are the demands of a component and everything it reaches.
type demands struct {
	regs     uint32
	barriers uint32
	depth    uint64 // deepest frames, meaningless where a cycle is reachable
	crs      int64
	marks    mark
	sparse   uint16 // SPARSE_MMA_MASK

	mbarriers uint32 // NUM_MBARRIERS of the function alone: they add up
	recorded  bool   // some function was read with NUM_BARRIERS
	noted     uint32 // the most that such a record says

	fragments uint64 // AT_ENTRY_FRAGEMENTS: a bit for each
	inits     uint16 // VRC_CTA_INIT_COUNT
}

// add takes the demands of another function that the same kernel answers for,
// stack apart.
func (f *demands) add(g *demands) {
	f.regs = max(f.regs, g.regs)
	f.barriers = max(f.barriers, g.barriers)
	f.marks |= g.marks
	f.sparse |= g.sparse
	f.recorded = f.recorded || g.recorded
	f.noted = max(f.noted, g.noted)
	f.fragments |= g.fragments
	f.inits |= g.inits
}

// mark is a sort of record that a kernel owes to code it answers for.
type mark uint16

const (
	markCtaidz mark = 1 << iota
	markReservedSmem
	markBarriers
	markMbarriers
	markUndefined
	markLanguage
	markSingle    // tcgen05 of a CTA alone
	markPair      // tcgen05 of a pair of CTAs
	markFragments // code that goes before a kernel's own
	markCancel    // clusters that are cancelled
)

// unknownStack is the stack size of a kernel that reaches a cycle.
const unknownStack = 0xffffffff

// ownDemands reads what a function itself asks for.
func (l *Usage) ownDemands(id model.FunID) demands {
	f := &l.Funs[id]
	own := demands{regs: f.Regs, depth: uint64(f.Frame), barriers: f.Barriers}
	if f.Text != model.Absent {
		flags := l.Secs[f.Text].Flags
		own.barriers = max(own.barriers, uint32(flags&cuda.SHFBarrierMask>>cuda.SHFBarrierShift))
	}
	if own.barriers > 0 {
		own.marks |= markBarriers
	}
	if f.Info == model.Absent {
		if f.Text != model.Absent && l.Release.InfoLink && l.TellsSparse && !(l.Release.KnowsNested && l.IsNested(id)) {
			own.sparse = sparseUnknown
		}
		return own
	}
	records, added := l.Parts[f.Info].Records(), l.Parts[f.Info].Added()
	for i := range records {
		l.demand(&own, &records[i])
	}
	for i := range added {
		if r := &added[i]; r.Attr == cuda.AttrSparseMmaMask {
			own.sparse |= r.Value
		}
	}
	return own
}

// demand adds what one attribute says.
func (l *Usage) demand(own *demands, r *model.Attribute) {
	switch r.Attr {
	case cuda.AttrNumBarriers:
		l.demandBarriers(own, uint32(r.Value&0xff))
		return
	case cuda.AttrNumMbarriers:
		own.mbarriers += uint32(r.Value)
	case cuda.AttrCrsStackSize:
		own.crs = int64(int32(r.Word(0)))
	case cuda.AttrSparseMmaMask:
		own.sparse |= r.Value
	case cuda.AttrVrcCtaInitCount:
		own.inits |= r.Value
	case cuda.AttrAtEntryFragements:
		own.fragments |= fragmentsOf(r)
		if own.fragments == 0 {
			return
		}
	case attrLanguage:
		if !l.Release.Compat.Keeps {
			return
		}
	}
	own.marks |= markByAttr[r.Attr]
}

func (l *Usage) demandBarriers(own *demands, n uint32) {
	switch {
	case l.Release.BarrierAttr:
		own.noted, own.recorded = n, true
		own.barriers = max(own.barriers, n)
		own.marks |= markBarriers
	case l.countsBarriers:
		own.mbarriers += n
		own.marks |= markMbarriers
	}
}

// reachDemands computes the facts of every component, callees first.
func (l *Usage) reachDemands() []demands {
	g := l.Calls
	all := make([]demands, len(g.Cyclic))
	for c := range all {
		sum := &all[c]
		var below demands
		for _, node := range l.Members(int32(c)) {
			own := demands{}
			if int(node) < g.Funcs {
				own = l.asks[node]
			}
			sum.add(&own)
			sum.depth = max(sum.depth, own.depth)
			sum.crs = max(sum.crs, own.crs)
			for i := 0; ; i++ {
				w := l.Successor(node, i)
				if w < 0 {
					break
				}
				if g.Comp[w] == int32(c) {
					continue
				}
				callee := &all[g.Comp[w]]
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
