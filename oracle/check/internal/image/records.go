package image

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Records of the tables that are beside the code: relocations, attributes of
// .nv.info, pairs of .nv.callgraph.
//
// Attributes are not aligned to anything but what their sizes give; formats 1
// to 3 are four bytes, format 4 carries a size. Many attributes begin with a
// symbol index and one is a list of them; namesSymbol and listsSymbols tell
// which.
//
// Source: cubins of ptxas 11.8 to 13.0, see package cuda.

// Record is a relocation.
type Record struct {
	Offset uint64
	Kind   uint32
	Symbol uint32
	Addend int64
	Rela   bool
}

// ReadRecords reads a REL or RELA section.
func (f *Image) ReadRecords(s *Section, b *Budget) ([]Record, error) {
	rela := s.Kind != cuda.SHTRel
	width := uint64(16)
	if rela {
		width = 24
	}
	count := s.Size / width
	if s.Size%width != 0 {
		return nil, f.Bad(s, s.Size)
	}
	if err := b.Spend(f.Name, count); err != nil {
		return nil, err
	}
	list := make([]Record, count)
	for i := range list {
		at := width * uint64(i)
		list[i] = Record{
			Offset: Number(s.Body, at, 8), Kind: Word(s.Body, at+8), Symbol: Word(s.Body, at+12), Rela: rela,
		}
		if rela {
			list[i].Addend = int64(Number(s.Body, at+16, 8))
		}
	}
	return list, nil
}

// Bad is the refusal of a section whose records do not parse.
func (f *Image) Bad(s *Section, at uint64) error {
	return &verdict.Refusal{Kind: verdict.BadRecords, File: f.Name, Section: s.Name, Offset: at, Value: s.Size}
}

// Attribute is one record of .nv.info or .nv.compat.
type Attribute struct {
	Format cuda.InfoFormat
	Attr   cuda.InfoAttr
	Value  []byte // 2 bytes, or what the size says
}

// ReadAttributes reads a section of attributes.
func (f *Image) ReadAttributes(s *Section, b *Budget) ([]Attribute, error) {
	var list []Attribute
	for at := uint64(0); at < uint64(len(s.Body)); {
		head, ok := Cut(s.Body, at, 4)
		if !ok {
			return nil, f.Bad(s, at)
		}
		a := Attribute{Format: cuda.InfoFormat(head[0]), Attr: cuda.InfoAttr(head[1]), Value: head[2:]}
		at += 4
		if a.Format == cuda.FormatSized {
			if a.Value, ok = Cut(s.Body, at, Number(head, 2, 2)); !ok {
				return nil, f.Bad(s, at)
			}
			at += uint64(len(a.Value))
		} else if a.Format == 0 || a.Format > cuda.FormatSized {
			return nil, f.Bad(s, at-4)
		}
		if err := b.Spend(f.Name, 1); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// NamesSymbol reports whether an attribute's value begins with a symbol index.
func NamesSymbol(a cuda.InfoAttr) bool {
	switch a {
	case cuda.AttrImageSlot, cuda.AttrImageOffset, cuda.AttrImageSize, cuda.AttrTextureNormalized, cuda.AttrSamplerInit,
		cuda.AttrParamCbank, cuda.AttrFrameSize, cuda.AttrMinStackSize, cuda.AttrSamplerForceUnnormalized,
		cuda.AttrBindlessImageOffsets, cuda.AttrMaxStackSize, cuda.AttrLoadCacheRequest, cuda.AttrRegcount,
		cuda.AttrSamRegionStackSize, cuda.AttrKparamInfo:
		return true
	}
	return false
}

// ListsSymbols reports whether an attribute's value is a list of symbol indices.
func ListsSymbols(a cuda.InfoAttr) bool { return a == cuda.AttrExterns }

// Pair is one entry of .nv.callgraph or .nv.prototype under its heading.
type Pair struct {
	Heading uint32 // cuda.CallgraphCalls and so on
	X, Y    uint32
}

// ReadPairs reads .nv.callgraph; a section of type PROTOTYPE has no headings.
func (f *Image) ReadPairs(s *Section, b *Budget) ([]Pair, error) {
	if s.Size%8 != 0 {
		return nil, f.Bad(s, s.Size)
	}
	if err := b.Spend(f.Name, s.Size/8); err != nil {
		return nil, err
	}
	var list []Pair
	heading := uint32(0)
	for at := uint64(0); at < s.Size; at += 8 {
		x, y := Word(s.Body, at), Word(s.Body, at+4)
		if x == 0 && y >= cuda.CallgraphEdges && s.Kind == cuda.SHTCudaCallgraph {
			heading = y
			continue
		}
		list = append(list, Pair{heading, x, y})
	}
	return list, nil
}

// RelocationName is the name of a relocation type, or its number.
func RelocationName(kind uint32) string {
	if info, ok := cuda.LookupReloc(kind); ok {
		return info.Name
	}
	if r, err := oracle.RecipeOf(kind); err == nil {
		return r.Name
	}
	return verdict.Hex(uint64(kind))
}

// Named is what a record that stays says: the name of its symbol and the addend.
type Named struct {
	Symbol string
	addend int64
	Index  uint32 // of the symbol, in the output
}

// Same compares what two records of different files say.
func (n Named) Same(o Named) bool { return n.Symbol == o.Symbol && n.addend == o.addend }

// IsFunctionSize reports whether a relocation writes the size of a function.
func IsFunctionSize(kind uint32) bool {
	return kind == cuda.R_CUDA_UNUSED_CLEAR32 || kind == cuda.R_CUDA_UNUSED_CLEAR64 || kind == cuda.R_MERCURY_UNUSED_CLEAR64
}

// WidthOfSize is how many bytes the size of a function takes.
func WidthOfSize(kind uint32) uint64 {
	if kind == cuda.R_CUDA_UNUSED_CLEAR32 {
		return 4
	}
	return 8
}

// IsYield reports whether a relocation turns a YIELD into a NOP.
func IsYield(kind uint32) bool {
	return kind == cuda.R_CUDA_YIELD_OPCODE9_0 || kind == cuda.R_CUDA_YIELD_CLEAR_PRED4_87
}
