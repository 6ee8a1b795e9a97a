package image

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// The two sides of a file for sm_100 and up.
//
// Such a file holds its code twice: as SASS, and as Mercury, from which the
// linker's finalizer writes the SASS again. Each side is nearly a file of its
// own: .nv.capmerc.text.f is the code of the Mercury side, .nv.merc.X what X is
// on the other, .nv.merc.symtab its symbols, with the same indices. A view is
// one side under the names and types of a file for sm_90, at the section
// indices it has in the file. Memory without bytes and notes exist once and belong
// to both, and so does the call graph up to 13.4. From then on either side has its
// own: that of SASS for sm_107 has calls of the driver, which reads textures for it, and
// symbols for them, of which the other side knows nothing.
//
// A link is right if it is a right link of either side. What the finalizer may
// do to the SASS of a kernel, where the Mercury side is right, is in
// packages code and schedule.
//
// Source: links for sm_100 to sm_121 by nvlink 13.0.88, for sm_107 by 13.4 and 13.5.

type Side uint8

const (
	Whole Side = iota // the file has one
	SassSide
	MercurySide
)

func (s Side) String() string { return [...]string{"", "SASS", "Mercury"}[s] }

const (
	capsulePrefix = ".nv.capmerc"
	mercuryPrefix = ".nv.merc"
	UnifiedPrefix = ".nv.uft" // code of the table of unified functions
)

// twoSided reports whether a file has a Mercury side.
func twoSided(sections []Section) bool {
	for i := range sections {
		if sections[i].Kind == cuda.SHTMercSymtab {
			return true
		}
	}
	return false
}

// mercuryTypes are the types of the Mercury side and what they are on the other.
var mercuryTypes = map[cuda.SectionType]cuda.SectionType{
	cuda.SHTMercRela: cuda.SHTRela, cuda.SHTMercInfo: cuda.SHTCudaInfo, cuda.SHTMercSymtab: cuda.SHTSymtab,
	cuda.SHTMercResolvedRela: cuda.SHTCudaResolvedRela, cuda.SHTCudaCapmerc: cuda.SHTProgbits,
	cuda.SHTMercCallgraph: cuda.SHTCudaCallgraph, cuda.SHTMercPrototype: cuda.SHTCudaPrototype,
}

// view turns the tables into those of one side.
func (f *Image) view(of Side) {
	f.Side = of
	if of == Whole {
		f.All = f.Sections
		return
	}
	if f.All == nil {
		f.All = slices.Clone(f.Sections)
	}
	capsules := map[uint32]uint32{} // by section of the SASS
	counterparts := map[string]bool{}
	ownCalls := false
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Kind == cuda.SHTCudaCapmerc {
			capsules[Word(s.Body, 0)] = uint32(i)
		}
		if s.Flags&cuda.SHFMercury != 0 {
			counterparts[strings.TrimPrefix(s.Name, mercuryPrefix)] = true
			ownCalls = ownCalls || s.Kind == cuda.SHTMercCallgraph
		}
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch mercury := s.Flags&cuda.SHFMercury != 0; {
		case i == 0 || s.Kind == cuda.SHTStrtab:
		case of == SassSide && mercury:
			s.hide()
		case of == SassSide:
		case mercury:
			s.asOther()
		case s.Kind == cuda.SHTNote, s.IsCalls() && !ownCalls:
		case NoBits(s.Kind) && !counterparts[s.Name]:
			if s.Flags&cuda.SHFInfoLink != 0 {
				s.Info = capsules[s.Info]
			}
		default:
			s.hide()
		}
	}
}

// IsCalls reports whether a section of a view is a call graph or a table of prototypes.
func (s *Section) IsCalls() bool {
	return s.Kind == cuda.SHTCudaCallgraph || s.Kind == cuda.SHTCudaPrototype
}

// hide takes a section out of a view.
func (s *Section) hide() { *s = Section{Index: s.Index, Hidden: true} }

// asOther names and types a section of the Mercury side as its counterpart.
func (s *Section) asOther() {
	name, isCapsule := strings.CutPrefix(s.Name, capsulePrefix)
	if !isCapsule {
		name = strings.TrimPrefix(s.Name, mercuryPrefix)
	}
	s.Name = name
	s.Flags &^= cuda.SHFMercury
	if s.Kind == cuda.SHTCudaCapmerc {
		s.Flags ^= cuda.SHFAlloc | cuda.SHFExec // so that either shows if it is there
	}
	if s.Kind == cuda.SHTCudaCapmerc && strings.HasPrefix(name, UnifiedPrefix) {
		s.Kind = cuda.SHTCudaUFT
	} else if kind, ok := mercuryTypes[s.Kind]; ok {
		s.Kind = kind
	}
}

// FileName is the name in the file of a section of a view.
func (of Side) FileName(name string) string {
	switch {
	case of != MercurySide || name == "" || strings.HasPrefix(name, ".nv.shared.") && !strings.HasPrefix(name, ".nv.shared.reserved") || name == ".nv.global" || name == ".nv_debug.shared":
		return name
	case strings.HasPrefix(name, ".text."), strings.HasPrefix(name, UnifiedPrefix) && !strings.HasPrefix(name, ".nv.uft.entry"):
		return capsulePrefix + name
	}
	return mercuryPrefix + name
}
