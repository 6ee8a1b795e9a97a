package relocs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Facts is what can be read in the inputs of a vector about its place and its
// symbols. It is for whoever wants to work out a vector without a linker.
type Facts struct {
	Place     []byte           // the section that is patched, as the inputs have it; nil without file bytes
	Size      uint64           // its size
	PlaceType cuda.SectionType // its type
	PlaceLost bool             // it belongs to a function of which another definition wins
	Base      uint64           // where this share of it begins in the image
	Symbols   []Symbol         // of the records, in their order
	Lost      []Range          // parts of Place that belong to a weak definition which lost against one before it
	Undefined []string         // symbols of the object that nothing defines, weak ones and textures aside
	Functions int              // function symbols of the object with the records
	Textures  []string         // its textures, samplers and surfaces, in the symbols' order
}

// Range is a run of bytes of a section.
type Range struct{ Offset, Size uint64 }

// Symbol is what a record names. Where the object with the records does not
// define it, or another object before it has the same weak definition, Symbol
// describes the definition that counts.
type Symbol struct {
	Name        string
	Index       uint32
	Exists      bool // the index is in the symbol table
	Defined     bool
	Type        cuda.SymbolType
	Binding     cuda.Binding
	Other       byte
	Value, Size uint64
	Section     string // "" where undefined
	SectionType cuda.SectionType
	Align       uint64 // of the section
	Base        uint64 // where that share of the section begins in the image
	Lost        bool   // the object with the records defines it too, in vain
}

// Facts reads the inputs of the vector.
func (v *Vector) Facts(inputs []Input) (Facts, error) {
	var sheets []*cubinEditor
	for _, in := range inputs {
		f, err := read(in.Data)
		if err != nil {
			return Facts{}, fmt.Errorf("%s: %w", in.Name, err)
		}
		sheets = append(sheets, f)
	}
	last := sheets[len(sheets)-1]
	place, index := last.find(v.Place)
	if place == nil {
		return Facts{}, fmt.Errorf("no section %s", v.Place)
	}
	facts := Facts{Place: place.data, Size: place.size, PlaceType: cuda.SectionType(place.kind), Base: shareBase(sheets, v.Place), PlaceLost: placeLost(sheets, v.Place)}
	holder, err := v.holder(last, index)
	if err != nil {
		return Facts{}, err
	}
	for _, r := range v.Records {
		s, err := symbolFacts(sheets, int(holder.link), r.Symbol)
		if err != nil {
			return Facts{}, err
		}
		facts.Symbols = append(facts.Symbols, s)
	}
	facts.survey(sheets, int(holder.link), v.Place)
	return facts, nil
}

// survey walks the symbols of the object with the records.
func (facts *Facts) survey(sheets []*cubinEditor, table int, place string) {
	last := sheets[len(sheets)-1]
	data, _ := last.symbols(table)
	for n := range uint32(len(data) / symbolSize) {
		s := last.describe(table, n)
		switch s.Type {
		case cuda.STTFunc:
			facts.Functions++
		case cuda.STTCudaTexture, cuda.STTCudaSampler, cuda.STTCudaSurface:
			facts.Textures = append(facts.Textures, s.Name)
			continue
		case cuda.STTSection:
			continue
		}
		_, before := definedBefore(sheets[:len(sheets)-1], last.parts[table].kind, s.Name)
		switch {
		case s.Binding == cuda.STBLocal:
		case s.Defined && before && s.Section == place:
			facts.Lost = append(facts.Lost, Range{s.Value, s.Size})
		case !s.Defined && !before && s.Binding != cuda.STBWeak && s.Other&cuda.STOSpace != cuda.STOShared:
			facts.Undefined = append(facts.Undefined, s.Name)
		}
	}
}

// definedBefore looks for a definition of a name in the objects before.
func definedBefore(sheets []*cubinEditor, tables uint32, name string) (Symbol, bool) {
	for i, f := range sheets {
		for j := range f.parts {
			if f.parts[j].kind != tables {
				continue
			}
			n, err := f.symbol(j, name)
			if err != nil {
				continue
			}
			if d := f.describe(j, n); d.Defined && d.Binding != cuda.STBLocal {
				d.Base = shareBase(sheets[:i+1], d.Section)
				return d, true
			}
		}
	}
	return Symbol{}, false
}

// Section returns the bytes of a section of the object with the records, nil
// without it.
func Section(inputs []Input, name string) []byte {
	f, err := read(inputs[len(inputs)-1].Data)
	if err != nil {
		return nil
	}
	if p, _ := f.find(name); p != nil {
		return p.data
	}
	return nil
}

func symbolFacts(sheets []*cubinEditor, table int, name string) (Symbol, error) {
	last := sheets[len(sheets)-1]
	n, err := last.symbol(table, name)
	if err != nil {
		return Symbol{}, err
	}
	s := last.describe(table, n)
	s.Base = shareBase(sheets, s.Section)
	if !s.Exists || s.Name == "" || s.Type == cuda.STTSection {
		return s, nil
	}
	if s.Binding != cuda.STBLocal {
		if d, ok := definedBefore(sheets[:len(sheets)-1], last.parts[table].kind, s.Name); ok {
			d.Index, d.Lost = n, s.Defined
			return d, nil
		}
	}
	return s, nil
}

func (f *cubinEditor) describe(table int, n uint32) Symbol {
	b, names := f.symbols(table)
	s := Symbol{Index: n}
	at := uint64(n) * symbolSize
	if at+symbolSize > uint64(len(b)) {
		return s
	}
	b = b[at:]
	s.Exists = true
	s.Name = f.symbolName(b, names)
	s.Type, s.Binding, s.Other = cuda.SymbolType(b[4]&15), cuda.Binding(b[4]>>4), b[5]
	s.Value, s.Size = le.Uint64(b[8:]), le.Uint64(b[16:])
	if i := int(le.Uint16(b[6:])); i != 0 && i < len(f.parts) {
		s.Defined = true
		s.Section, s.SectionType, s.Align = f.nameOf(f.parts[i]), cuda.SectionType(f.parts[i].kind), f.parts[i].align
	}
	return s
}

// shareBase returns where the last object's share of a section begins in the
// image: sections of one name are put after each other, aligned. The text of a
// function is not shared: one definition wins.
func shareBase(sheets []*cubinEditor, name string) uint64 {
	at := uint64(0)
	for i, f := range sheets {
		p, _ := f.find(name)
		if p == nil || ofFunction(name) {
			continue
		}
		if align := max(p.align, 1); at%align != 0 {
			at += align - at%align
		}
		if i < len(sheets)-1 {
			at += p.size
		}
	}
	return at
}

// ofFunction tells the sections that belong to one function.
func ofFunction(name string) bool {
	return strings.HasPrefix(name, ".text.") || strings.HasPrefix(name, capsulePrefix+".text.")
}

// placeLost reports whether the place is that of a function which an object
// before defines as well. All such definitions are weak here and take the same
// number of registers, so the first wins.
func placeLost(sheets []*cubinEditor, name string) bool {
	return ofFunction(name) && slices.ContainsFunc(sheets[:len(sheets)-1], func(f *cubinEditor) bool {
		p, _ := f.find(name)
		return p != nil
	})
}
