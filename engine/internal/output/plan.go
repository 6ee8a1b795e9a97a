package output

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// Plan is the plan of the output: which sections and symbols, in which order,
// with which contents. Nothing is written until it is complete.
type Plan struct {
	Order   []model.SecID // sections by index - 1
	NameOff []uint32      // of each, offset in .shstrtab
	Symbols []model.SymID // symbols by index - 1
	named   []symbolName  // symbols whose name is in .strtab, in its order
	Locals  int           // symbols of the local list
	made    [][]byte      // what the link made itself
	madeOf  []int32       // by section: its place there + 1, 0 for merged ones
	Names   []uint32      // by symbol: offset in .strtab
	Str     *names.Strtab
	Shstr   *names.Strtab
	Progs   []cubin.Prog
	Shoff   uint64
	Size    uint64
}

// NewPlan returns an empty plan for so many sections, and functions whose attributes
// are most of what the link makes.
func NewPlan(sections, functions int) *Plan {
	return &Plan{madeOf: make([]int32, sections), made: make([][]byte, 0, functions+16)}
}

// Content returns the bytes of a section that the link made itself, nil for others.
func (p *Plan) Content(id model.SecID) []byte {
	if at := p.madeOf[id]; at > 0 {
		return p.made[at-1]
	}
	return nil
}

// isPresent reports whether a section is in the image.
func (l *Planner) isPresent(id model.SecID) bool {
	s := &l.Secs[id]
	if s.Deleted {
		return false
	}
	if s.Made {
		return true
	}
	switch s.Type {
	case cuda.SHTCudaInfo:
		if s.Owner != model.Absent {
			return !l.Secs[s.Owner].Present || l.Secs[s.Owner].Size > 0
		}
	case cuda.SHTSymtabShndx:
		return false // where the link needs none, an input's section of that name goes
	case cuda.SHTCudaShared:
		return s.Present || l.IsRelocatable() && s.Size > 0
	}
	if s.Type == cuda.SHTProgbits && s.Fun == model.Absent {
		return true // also an empty one that only a debugger reads
	}
	return s.Size > 0 || s.Present
}

// maxBanks bounds the numbers of constant banks: the next types are Mercury's.
const maxBanks = 24

// Lowered returns the type a section has in the image: a final one knows no
// memory spaces.
func (l *Planner) Lowered(t cuda.SectionType) cuda.SectionType {
	if l.IsRelocatable() {
		return t
	}
	if t >= cuda.SHTCudaConstant0 && t < cuda.SHTCudaConstant0+maxBanks || t == cuda.SHTCudaGlobalInit {
		return cuda.SHTProgbits
	}
	if cubin.NoBitsSpace(t) {
		return cuda.SHTNobits
	}
	return t
}

// HasBits reports whether a section has bytes in the image.
func (l *Planner) HasBits(id model.SecID) bool {
	t := l.Secs[id].Type
	return t != cuda.SHTNobits && !cubin.NoBitsSpace(t)
}
