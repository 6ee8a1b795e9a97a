package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// module is one input: its tables, and what each entry came to mean in the
// whole link.
type module struct {
	*image
	number       int
	refs         []ref          // by symbol index
	bodies       map[int]*body  // by section index of the code
	places       []place        // by section index: where the section's bytes went
	relocs       []relocs       // relocation sections, in file order
	relocsOf     map[int][]int  // indices into relocs, by section index of the target
	holes        map[int][]span // places that relocations may write, by section index
	infos        map[int][]attribute
	infoOf       map[int][]attribute // by section index of the code
	infoSections []int               // of .nv.info, in file order
	registers    map[uint32]uint32   // by symbol index
	facts        map[cuda.InfoAttr]map[*identity]uint32
	pairs        []pair             // of .nv.callgraph
	protos       []pair             // of .nv.prototype
	losers       map[int][]*symbol  // by section index: objects that another definition stands for
	accepted     map[int]bool       // by section index: a definition in it was taken, if only for a time
	silent       map[*identity]bool // functions whose definition here lost
	pointers     map[*identity]bool // functions whose address its data holds
	masks        bool               // some code has a mask of sparse matrix instructions
	nameless     bool               // it was the first to mention some undefined function
	wide         bool               // e_flags and notes of 13.0 and later
}

// ref is what a symbol index stands for: something with an identity, a section
// of a module, or nothing (index 0 and the nameless functions of 12.x).
type ref struct {
	id   *identity
	area *area
}

// place is where a section of an input went: into an area, as a part of it.
type place struct {
	area *area
	part *part
}

// relocs is one relocation section.
type relocs struct {
	section *section
	target  int
	list    []record
}

// body is one section of code.
type body struct {
	mod         *module
	section     *section
	owner       *identity   // the function that sh_info names
	formerly    string      // the section's name in the input, where the output has it by a second name
	names       []*identity // every function defined in it
	disposition bodyDisposition
	took        *body // the one it replaced
	beaten      bool  // it lost to a weak definition
	live        bool
	area        *area
}

type bodyDisposition uint8

const (
	won      bodyDisposition = iota
	lost                     // another definition was there before
	replaced                 // it was taken, and given up for a later one
)

// symbolOf is the symbol index that the sh_info of a code section holds below
// the register count.
func symbolOf(info uint32) uint32 { return info % (1 << 24) }

// registersOf is the register count above it.
func registersOf(info uint32) uint32 { return info / (1 << 24) }

// readModule reads the tables of an input.
func readModule(number int, in Input, of side, other *image, b *budget) (*module, error) {
	f, err := readImage(in.Name, in.Data, of, other, b)
	if err != nil {
		return nil, err
	}
	m := &module{
		image: f, number: number, bodies: map[int]*body{}, silent: map[*identity]bool{}, accepted: map[int]bool{}, losers: map[int][]*symbol{}, infos: map[int][]attribute{}, infoOf: map[int][]attribute{}, relocsOf: map[int][]int{},
		refs: make([]ref, len(f.symbols)), places: make([]place, len(f.sections)),
		wide: f.header.osabi == cuda.OSABICuda13,
	}
	for i := range f.sections {
		s := &f.sections[i]
		switch s.kind {
		case cuda.SHTRel, cuda.SHTRela:
			list, err := f.readRecords(s, b)
			if err != nil {
				return nil, err
			}
			if int(s.info) >= len(f.sections) {
				return nil, f.bad(s, 0)
			}
			for _, r := range list {
				if int(r.symbol) >= len(f.symbols) {
					return nil, &Refusal{Kind: BadRecords, File: f.name, Section: s.name, Offset: r.offset, Value: uint64(r.symbol)}
				}
			}
			m.relocsOf[int(s.info)] = append(m.relocsOf[int(s.info)], len(m.relocs))
			m.relocs = append(m.relocs, relocs{s, int(s.info), list})
		case cuda.SHTCudaInfo:
			list, err := f.readAttributes(s, b)
			if err != nil {
				return nil, err
			}
			m.infos[i] = list
			m.masks = m.masks || slices.ContainsFunc(list, func(a attribute) bool { return a.attr == cuda.AttrSparseMmaMask })
			m.infoSections = append(m.infoSections, i)
			if _, twice := m.infoOf[int(s.info)]; !twice && s.info != 0 {
				m.infoOf[int(s.info)] = list
			}
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			list, err := f.readPairs(s, b)
			if err != nil {
				return nil, err
			}
			if s.kind == cuda.SHTCudaCallgraph {
				m.pairs = append(m.pairs, list...)
			} else {
				m.protos = append(m.protos, list...)
			}
		}
		if isCode(s) {
			m.bodies[i] = &body{mod: m, section: s}
		}
	}
	return m, nil
}

func isCode(s *section) bool {
	return (s.kind == cuda.SHTProgbits || s.kind == cuda.SHTCudaUFT) && s.flags&cuda.SHFExec != 0
}

// bank returns the constant bank of a section, by type or, in a final image, by
// name.
func bank(s *section) (int, bool) {
	switch {
	case s.kind >= cuda.SHTCudaConstant0 && s.kind <= cuda.SHTCudaConstant17, s.kind >= cuda.SHTMercEntryParams && s.kind <= cuda.SHTMercToolsData:
		return int(s.kind - cuda.SHTCudaConstant0), true
	case s.kind == cuda.SHTMercOptimizer:
		return 2, true
	}
	return 0, false
}

// ownerOf returns the code that a section belongs to, nil for none. Up to 11.8
// no flag says that sh_info is a section, and the type must do.
func (m *module) ownerOf(s *section) *body {
	_, constant := bank(s)
	if s.flags&cuda.SHFInfoLink == 0 && !constant && s.kind != cuda.SHTCudaShared && s.kind != cuda.SHTCudaLocal && s.kind != cuda.SHTCudaInfo {
		return nil
	}
	if s.info == 0 {
		return nil
	}
	return m.bodies[int(s.info)]
}

// registers is the count by which two weak definitions are compared: that of
// the code's header. Where the header has none (sm_90 and up) 13.0 takes the
// attribute; earlier releases find 0 for both.
func (b *body) registers(release oracle.Release) uint32 {
	if n := registersOf(b.section.info); n != 0 || release < 130 {
		return n
	}
	return b.mod.registersAt(symbolOf(b.section.info))
}

// registersAt is the register count that .nv.info gives for a symbol.
func (m *module) registersAt(symbol uint32) uint32 {
	if m.registers == nil {
		m.registers = map[uint32]uint32{}
		for _, i := range m.infoSections {
			if m.sections[i].info != 0 {
				continue
			}
			for _, a := range m.infos[i] {
				if at := word(a.value, 0); a.attr == cuda.AttrRegcount && m.registers[at] == 0 {
					m.registers[at] = word(a.value, 4)
				}
			}
		}
	}
	return m.registers[symbol]
}

// base is the name of a section without the name of what it belongs to:
// ".nv.constant2." of ".nv.constant2.f".
func baseName(s *section, owner *body) string {
	if owner == nil {
		return s.name
	}
	return strings.TrimSuffix(s.name, strings.TrimPrefix(owner.section.name, ".text."))
}
