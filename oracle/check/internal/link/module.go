package link

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Module is one input: its tables, and what each entry came to mean in the
// whole link.
type Module struct {
	*image.Image
	Number       int
	Refs         []Ref          // by symbol index
	Bodies       map[int]*Body  // by section index of the code
	Places       []Place        // by section index: where the section's bytes went
	Relocs       []Relocs       // relocation sections, in file order
	RelocsOf     map[int][]int  // indices into relocs, by section index of the target
	Holes        map[int][]Span // places that relocations may write, by section index
	Infos        map[int][]image.Attribute
	infoOf       map[int][]image.Attribute // by section index of the code
	infoSections []int                     // of .nv.info, in file order
	Registers    map[uint32]uint32         // by symbol index
	facts        map[cuda.InfoAttr]map[*Identity]uint32
	Pairs        []image.Pair            // of .nv.callgraph
	Protos       []image.Pair            // of .nv.prototype
	Losers       map[int][]*image.Symbol // by section index: objects that another definition stands for
	Accepted     map[int]bool            // by section index: a definition in it was taken, if only for a time
	Silent       map[*Identity]bool      // functions whose definition here lost
	Pointers     map[*Identity]bool      // functions whose address its data holds
	Masks        bool                    // some code has a mask of sparse matrix instructions
	Nameless     bool                    // it was the first to mention some undefined function
	wide         bool                    // e_flags and notes of 13.0 and later
	asWhole      map[int]bool            // sections that some record names by their own symbol; nil before it is asked
}

// Ref is what a symbol index stands for: something with an identity, a section
// of a module, or nothing (index 0 and the nameless functions of 12.x).
type Ref struct {
	ID   *Identity
	Area *Area
}

// Place is where a section of an input went: into an area, as a part of it.
type Place struct {
	Area *Area
	Part *Part
}

// Relocs is one relocation section.
type Relocs struct {
	Section *image.Section
	Target  int
	List    []image.Record
}

// SymbolOf is the symbol index that the sh_info of a code section holds below
// the register count.
func SymbolOf(info uint32) uint32 { return info % (1 << 24) }

// CallsApart reports whether the SASS side of a file with two call graphs has more in it.
func (m *Module) CallsApart() bool {
	if m.Side != image.SassSide {
		return false
	}
	var sizes [2]uint64
	for i := range m.All {
		switch s := &m.All[i]; s.Kind {
		case cuda.SHTCudaCallgraph:
			sizes[0] += s.Size
		case cuda.SHTMercCallgraph:
			sizes[1] += s.Size
		}
	}
	return sizes[1] > 0 && sizes[0] > sizes[1]
}

// RegistersOf is the register count above it.
func RegistersOf(info uint32) uint32 { return info / (1 << 24) }

// NamesSection reports whether a record is against a section's own symbol, and so may be about any byte of it.
func (m *Module) NamesSection(index int) bool {
	if m.asWhole == nil {
		m.asWhole = map[int]bool{}
		for _, l := range m.Relocs {
			for _, r := range l.List {
				if s := &m.Symbols[r.Symbol]; s.Kind() == cuda.STTSection && !s.Special {
					m.asWhole[s.Shndx] = true
				}
			}
		}
	}
	return m.asWhole[index]
}

// ReadModule reads the tables of an input.
func ReadModule(number int, in verdict.Input, of image.Side, other *image.Image, b *image.Budget) (*Module, error) {
	f, err := image.ReadImage(in.Name, in.Data, of, other, b)
	if err != nil {
		return nil, err
	}
	m := &Module{
		Image: f, Number: number, Bodies: map[int]*Body{}, Silent: map[*Identity]bool{}, Accepted: map[int]bool{}, Losers: map[int][]*image.Symbol{}, Infos: map[int][]image.Attribute{}, infoOf: map[int][]image.Attribute{}, RelocsOf: map[int][]int{},
		Refs: make([]Ref, len(f.Symbols)), Places: make([]Place, len(f.Sections)),
		wide: f.Header.Osabi == cuda.OSABICuda13,
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch s.Kind {
		case cuda.SHTRel, cuda.SHTRela:
			list, err := f.ReadRecords(s, b)
			if err != nil {
				return nil, err
			}
			if int(s.Info) >= len(f.Sections) {
				return nil, f.Bad(s, 0)
			}
			for _, r := range list {
				if int(r.Symbol) >= len(f.Symbols) {
					return nil, &verdict.Refusal{Kind: verdict.BadRecords, File: f.Name, Section: s.Name, Offset: r.Offset, Value: uint64(r.Symbol)}
				}
			}
			m.RelocsOf[int(s.Info)] = append(m.RelocsOf[int(s.Info)], len(m.Relocs))
			m.Relocs = append(m.Relocs, Relocs{s, int(s.Info), list})
		case cuda.SHTCudaInfo:
			list, err := f.ReadAttributes(s, b)
			if err != nil {
				return nil, err
			}
			m.Infos[i] = list
			m.Masks = m.Masks || slices.ContainsFunc(list, func(a image.Attribute) bool { return a.Attr == cuda.AttrSparseMmaMask })
			m.infoSections = append(m.infoSections, i)
			if _, twice := m.infoOf[int(s.Info)]; !twice && s.Info != 0 {
				m.infoOf[int(s.Info)] = list
			}
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			list, err := f.ReadPairs(s, b)
			if err != nil {
				return nil, err
			}
			if s.Kind == cuda.SHTCudaCallgraph {
				m.Pairs = append(m.Pairs, list...)
			} else {
				m.Protos = append(m.Protos, list...)
			}
		}
		if IsCode(s) {
			m.Bodies[i] = &Body{Mod: m, Section: s}
		}
	}
	return m, nil
}

func IsCode(s *image.Section) bool {
	return (s.Kind == cuda.SHTProgbits || s.Kind == cuda.SHTCudaUFT) && s.Flags&cuda.SHFExec != 0
}

// Bank returns the constant bank of a section, by type or, in a final image, by
// name.
func Bank(s *image.Section) (int, bool) {
	switch {
	case s.Kind >= cuda.SHTCudaConstant0 && s.Kind <= cuda.SHTCudaConstant17, s.Kind >= cuda.SHTMercEntryParams && s.Kind <= cuda.SHTMercToolsData:
		return int(s.Kind - cuda.SHTCudaConstant0), true
	case s.Kind == cuda.SHTMercOptimizer:
		return 2, true
	}
	return 0, false
}

// OwnerOf returns the code that a section belongs to, nil for none. Up to 11.8
// no flag says that sh_info is a section, and the type must do.
func (m *Module) OwnerOf(s *image.Section) *Body {
	_, constant := Bank(s)
	if s.Flags&cuda.SHFInfoLink == 0 && !constant && s.Kind != cuda.SHTCudaShared && s.Kind != cuda.SHTCudaLocal && s.Kind != cuda.SHTCudaInfo {
		return nil
	}
	if s.Info == 0 {
		return nil
	}
	return m.Bodies[int(s.Info)]
}

// Registers is the count by which two weak definitions are compared: that of
// the code's header. Where the header has none (sm_90 and up) 13.0 takes the
// attribute; earlier releases find 0 for both.
func (b *Body) Registers(release oracle.Release) uint32 {
	if n := RegistersOf(b.Section.Info); n != 0 || release < 130 {
		return n
	}
	return b.Mod.registersAt(SymbolOf(b.Section.Info))
}

// registersAt is the register count that .nv.info gives for a symbol.
func (m *Module) registersAt(symbol uint32) uint32 {
	if m.Registers == nil {
		m.Registers = map[uint32]uint32{}
		for _, i := range m.infoSections {
			if m.Sections[i].Info != 0 {
				continue
			}
			for _, a := range m.Infos[i] {
				if at := image.Word(a.Value, 0); a.Attr == cuda.AttrRegcount && m.Registers[at] == 0 {
					m.Registers[at] = image.Word(a.Value, 4)
				}
			}
		}
	}
	return m.Registers[symbol]
}

// MostRegisters is the largest register count that .nv.info gives for anything.
func (m *Module) MostRegisters() (most uint64) {
	for _, list := range m.Infos {
		for _, a := range list {
			if a.Attr == cuda.AttrRegcount && len(a.Value) >= 8 {
				most = max(most, uint64(image.Word(a.Value, 4)))
			}
		}
	}
	return most
}

// base is the name of a section without the name of what it belongs to:
// ".nv.constant2." of ".nv.constant2.f".
func BaseName(s *image.Section, owner *Body) string {
	if owner == nil {
		return s.Name
	}
	return strings.TrimSuffix(s.Name, strings.TrimPrefix(owner.Section.Name, ".text."))
}

// ObjectSM is the SM an input was made for: that of its note, which 12.8 and 12.9 call
// otherwise; of older objects the virtual one.
func (m *Module) ObjectSM() uint64 {
	for i := range m.Sections {
		if s := &m.Sections[i]; (s.Name == image.VersionNote || s.Name == image.FirstVersionNote) && len(s.Body) >= 32 {
			return image.Number(s.Body, 26, 2)
		}
	}
	if m.Header.Osabi != cuda.OSABICuda13 {
		return uint64(m.Header.Flags & cuda.EFLegacyVirtualSM >> 16)
	}
	return uint64(m.SM())
}

// Copies lists where a section went: of a unit of compiler constants the banks of
// its kernels, of any other the one place.
func (p Place) Copies() []Place {
	if !p.Area.Moved {
		return []Place{p}
	}
	var list []Place
	for _, bank := range p.Area.MovedInto {
		for _, q := range bank.Parts {
			if q.Section == p.Part.Section {
				list = append(list, Place{bank, q})
				break
			}
		}
	}
	return list
}
