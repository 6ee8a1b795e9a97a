// Package layout gives everything that has an address its address: tentative
// definitions, shared memory, texture slots, constants.
package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// Layout is the program with addresses.
type Layout struct {
	*reach.Graph
	*model.Program // of Graph

	Shared      *sharedLayout
	SharedAlign map[model.SymID]uint64
	SlotOff     map[model.SymID]uint64
	UnitOff     map[model.SecID]uint64
	NullValue   uint64 // st_value of symbol 0

	Headers map[model.SecID]model.SecID // by section of code: its image header indices
	Slots   uint64                      // where texture slots begin in a parameter bank
	Slotted []SlotUser                  // kernels that have texture slots
}

// Compute lays out what lives.
func Compute(g *reach.Graph) (*Layout, error) {
	l := &Layout{Graph: g, Program: g.Program, SharedAlign: make(map[model.SymID]uint64), Headers: make(map[model.SecID]model.SecID)}
	if err := l.checkCommons(); err != nil {
		return nil, err
	}
	l.layoutCommons()
	l.Callgraph = l.Role(".nv.callgraph", cuda.SHTCudaCallgraph, 0, 4)
	l.WillMake(l.Callgraph)
	l.Protosec = l.Role(".nv.prototype", cuda.SHTCudaPrototype, 0, 4)
	for i := range l.Funs {
		if f := &l.Funs[i]; f.Live && f.Proto != 0 && !f.Taken {
			l.WillMake(l.Protosec)
			break
		}
	}
	if l.Opt.AllowUndefined {
		if err := l.placeAllowed(); err != nil {
			return nil, err
		}
	}
	if l.IsRelocatable() {
		if l.Dialect.HeaderSections {
			l.placeSlots()
		}
		l.layoutPartial()
		l.setConstantSize()
		return l, nil
	}
	if !l.Dialect.HeaderSections {
		l.layoutTextures() // 11.8 names them before what shared memory asks for
	}
	l.layoutShared()
	if l.Dialect.HeaderSections {
		l.layoutHeaders()
	}
	l.nameInstance()
	l.layoutConstants()
	l.mergeConstants()
	l.setConstantSize()
	if l.Dialect.RelAction && !l.Release.NoRelAction {
		l.Relaction = l.Role(".nv.rel.action", cuda.SHTCudaRelocInfo, 0, 8)
		l.WillMake(l.Relaction)
	}
	return l, nil
}
