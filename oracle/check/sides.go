package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// The two sides of a file for sm_100 and up.
//
// Such a file holds its code twice: as SASS, and as Mercury, from which the
// linker's finalizer writes the SASS anew. Each side is nearly a file of its
// own: .nv.capmerc.text.f is the code of the Mercury side, .nv.merc.X what X is
// on the other, .nv.merc.symtab its symbols, with the same indices. A view is
// one side under the names and types of a file for sm_90, at the section
// indices it has in the file. Memory without bytes, notes and call graph exist
// once and belong to both.
//
// A link is right if it is a right link of either side. What the finalizer may
// do to the SASS of a kernel, where the Mercury side is right, is in
// compare_finalized.go.
//
// Source: links for sm_100 to sm_121 by nvlink 13.0.88.

type side uint8

const (
	whole side = iota // the file has one
	sassSide
	mercurySide
)

func (s side) String() string { return [...]string{"", "SASS", "Mercury"}[s] }

const (
	capsulePrefix = ".nv.capmerc"
	mercuryPrefix = ".nv.merc"
	unifiedPrefix = ".nv.uft" // code of the table of unified functions
)

// twoSided reports whether a file has a Mercury side.
func twoSided(sections []section) bool {
	for i := range sections {
		if sections[i].kind == cuda.SHTMercSymtab {
			return true
		}
	}
	return false
}

// mercuryTypes are the types of the Mercury side and what they are on the other.
var mercuryTypes = map[cuda.SectionType]cuda.SectionType{
	cuda.SHTMercRela: cuda.SHTRela, cuda.SHTMercInfo: cuda.SHTCudaInfo, cuda.SHTMercSymtab: cuda.SHTSymtab,
	cuda.SHTMercResolvedRela: cuda.SHTCudaResolvedRela, cuda.SHTCudaCapmerc: cuda.SHTProgbits,
	cuda.SHTMercCallgraph: cuda.SHTNull, cuda.SHTMercPrototype: cuda.SHTNull,
}

// view turns the tables into those of one side.
func (f *image) view(of side) {
	f.side = of
	if of == whole {
		f.all = f.sections
		return
	}
	if f.all == nil {
		f.all = slices.Clone(f.sections)
	}
	capsules := map[uint32]uint32{} // by section of the SASS
	twins := map[string]bool{}
	for i := range f.sections {
		s := &f.sections[i]
		if s.kind == cuda.SHTCudaCapmerc {
			capsules[word(s.body, 0)] = uint32(i)
		}
		if s.flags&cuda.SHFMercury != 0 {
			twins[strings.TrimPrefix(s.name, mercuryPrefix)] = true
		}
	}
	for i := range f.sections {
		s := &f.sections[i]
		switch mercury := s.flags&cuda.SHFMercury != 0; {
		case i == 0 || s.kind == cuda.SHTStrtab:
		case of == sassSide && mercury:
			s.hide()
		case of == sassSide:
		case mercury:
			s.asOther()
		case s.kind == cuda.SHTNote, s.kind == cuda.SHTCudaCallgraph, s.kind == cuda.SHTCudaPrototype:
		case noBits(s.kind) && !twins[s.name]:
			if s.flags&cuda.SHFInfoLink != 0 {
				s.info = capsules[s.info]
			}
		default:
			s.hide()
		}
	}
}

// hide takes a section out of a view.
func (s *section) hide() { *s = section{index: s.index, hidden: true} }

// asOther names and types a section of the Mercury side as its twin.
func (s *section) asOther() {
	name, isCapsule := strings.CutPrefix(s.name, capsulePrefix)
	if !isCapsule {
		name = strings.TrimPrefix(s.name, mercuryPrefix)
	}
	s.name = name
	s.flags &^= cuda.SHFMercury
	if s.kind == cuda.SHTCudaCapmerc {
		s.flags ^= cuda.SHFAlloc | cuda.SHFExec // so that either shows if it is there
	}
	if s.kind == cuda.SHTCudaCapmerc && strings.HasPrefix(name, unifiedPrefix) {
		s.kind = cuda.SHTCudaUFT
	} else if kind, ok := mercuryTypes[s.kind]; ok {
		if s.kind = kind; kind == cuda.SHTNull {
			s.hide()
		}
	}
}

// fileName is the name in the file of a section of a view.
func (of side) fileName(name string) string {
	switch {
	case of != mercurySide || name == "" || strings.HasPrefix(name, ".nv.shared.") && !strings.HasPrefix(name, ".nv.shared.reserved") || name == ".nv.global" || name == ".nv_debug.shared":
		return name
	case strings.HasPrefix(name, ".text."), strings.HasPrefix(name, unifiedPrefix) && !strings.HasPrefix(name, ".nv.uft.entry"):
		return capsulePrefix + name
	}
	return mercuryPrefix + name
}
